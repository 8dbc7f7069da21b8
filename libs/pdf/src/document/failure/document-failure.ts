import type { ExceededLimit } from '#libs/domain';

/** Why a document cannot be worked on. Each is final: the same input fails the same way again. */
export const documentFailureCodes = [
  'not_a_pdf',
  'corrupt_document',
  'password_required',
  'password_invalid',
  'page_out_of_range',
  'unsupported_feature',
  'unsupported_glyph',
  'unsupported_image',
  'unsupported_font',
  'limit_exceeded',
  'time_limit',
  'memory_limit',
] as const;
export type DocumentFailureCode = (typeof documentFailureCodes)[number];

/** A failure as a user may see it: `message` is a public sentence, `input` the 0-based number of the input that is the cause. */
export interface DocumentFailure {
  readonly code: DocumentFailureCode;
  readonly message: string;
  readonly input: number | null;
  /** Only where a limit is the cause. */
  readonly limit?: ExceededLimit | undefined;
}

/** Carries a failure out of an operation; the child process turns it into a result. */
export class DocumentFailed extends Error {
  override readonly name = 'DocumentFailed';
  constructor(
    readonly failure: DocumentFailure,
    options?: ErrorOptions,
  ) {
    super(failure.message, options);
  }
}

export function notAPdf(input: number): DocumentFailure {
  return { code: 'not_a_pdf', message: `Input ${input} is not a PDF: it has no %PDF- header.`, input };
}

export function corruptDocument(input: number | null): DocumentFailure {
  const subject = input === null ? 'One of the inputs' : `Input ${input}`;
  return { code: 'corrupt_document', message: `${subject} is damaged and cannot be read as a PDF.`, input };
}

export function noPages(input: number): DocumentFailure {
  return { code: 'corrupt_document', message: `Input ${input} is damaged: no page can be found in it.`, input };
}

export function passwordRequired(input: number): DocumentFailure {
  return { code: 'password_required', message: `Input ${input} is encrypted and needs a password.`, input };
}

export function passwordInvalid(input: number): DocumentFailure {
  return { code: 'password_invalid', message: `The password of input ${input} does not open it.`, input };
}

export function unsupportedFeature(input: number, feature: string): DocumentFailure {
  return { code: 'unsupported_feature', message: `Input ${input} uses what is not supported: ${feature}.`, input };
}

/** Objects may be packed in streams, which inflate to many times their size. Nobody inflates one to its end to say how far it would go. */
export function tooManyPackedObjects(input: number, mostBytes: number): DocumentFailure {
  const mebibytes = Math.round(mostBytes / 2 ** 20);
  const message = `The object streams of input ${input} inflate to more than ${mebibytes} MiB, the most that is read.`;
  return {
    code: 'limit_exceeded',
    message,
    input,
    limit: { name: 'object_streams', allowed: mostBytes, actual: null },
  };
}

export function pageOutOfRange(range: string, input: number, pageCount: number): DocumentFailure {
  const pages = pageCount === 1 ? '1 page' : `${pageCount} pages`;
  const message = `The range ${JSON.stringify(range)} is not in input ${input}, which has ${pages}.`;
  return { code: 'page_out_of_range', message, input };
}

export function noPagesLeft(input: number): DocumentFailure {
  const message = `All pages of input ${input} would be deleted; a document has one page at least.`;
  return { code: 'page_out_of_range', message, input };
}

export function tooManyPages(input: number, pages: number, maxPages: number): DocumentFailure {
  const message = `With input ${input} the job has ${pages} pages; MAX_PAGES allows ${maxPages}.`;
  return { code: 'limit_exceeded', message, input, limit: { name: 'MAX_PAGES', allowed: maxPages, actual: pages } };
}

/** `outputs` is what the job made or was about to make. */
export function tooManyOutputs(outputs: number, maxOutputs: number): DocumentFailure {
  const message = `The job makes ${outputs} documents; MAX_OUTPUTS allows ${maxOutputs}.`;
  const limit = { name: 'MAX_OUTPUTS', allowed: maxOutputs, actual: outputs };
  return { code: 'limit_exceeded', message, input: null, limit };
}

/** `bytes` is how large the outputs were when they became too large; `null` if nobody counted. */
export function outputsTooLarge(bytes: number | null, maxBytes: number): DocumentFailure {
  const message = `The documents that the job makes are larger than ${maxBytes} bytes together (MAX_OUTPUT_SIZE).`;
  return {
    code: 'limit_exceeded',
    message,
    input: null,
    limit: { name: 'MAX_OUTPUT_SIZE', allowed: maxBytes, actual: bytes },
  };
}

export function timeLimit(timeoutMs: number): DocumentFailure {
  const message = `The work took longer than ${timeoutMs / 1000} s (JOB_TIMEOUT).`;
  return { code: 'time_limit', message, input: null, limit: { name: 'JOB_TIMEOUT', allowed: timeoutMs, actual: null } };
}

export function memoryLimit(memoryBytes: number): DocumentFailure {
  const mebibytes = Math.round(memoryBytes / 2 ** 20);
  return {
    code: 'memory_limit',
    message: `The work needed more than ${mebibytes} MiB of memory (JOB_MEMORY).`,
    input: null,
    limit: { name: 'JOB_MEMORY', allowed: memoryBytes, actual: null },
  };
}

/** `input` is the font, `null` the bundled one. */
export function unsupportedGlyph(character: string, input: number | null): DocumentFailure {
  const codePoint = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
  const font = input === null ? 'The bundled font' : `The font, input ${input},`;
  const advice = input === null ? ': send a font that has it' : '';
  return {
    code: 'unsupported_glyph',
    message: `${font} has no glyph for "${character}" (U+${codePoint})${advice}.`,
    input,
  };
}

export function unsupportedFont(input: number): DocumentFailure {
  const message = `Input ${input} is no font that can be used: it must be a sound TrueType or OpenType font.`;
  return { code: 'unsupported_font', message, input };
}

/** Nobody counts the tiles to their end to say how many there would be. */
export function tooManyTiles(mostTiles: number): DocumentFailure {
  const message = `A page would need more than ${mostTiles} tiles: make them or their gaps larger.`;
  return { code: 'limit_exceeded', message, input: null, limit: { name: 'tiles', allowed: mostTiles, actual: null } };
}

/** `reason` says what the input is or has, as in `is a damaged image`. */
export function unsupportedImage(input: number, reason: string): DocumentFailure {
  return { code: 'unsupported_image', message: `Input ${input} ${reason}.`, input };
}
