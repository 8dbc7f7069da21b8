import { createDeflate, deflateSync } from 'node:zlib';
import type { DocumentFailureCode } from '#libs/pdf';
import { endlessPageTreePdf, hangingPdf, heapFillingPdf } from './pdf-samples.js';

const bombBytes = 2 ** 30;

/**
 * What becomes of a document: `completed` without a warning, `repaired` with no other than that, or the code of its failure. Bombs that fill
 * the memory slowly meet either limit, by how fast the machine is.
 */
export type HostileOutcome = 'completed' | 'repaired' | DocumentFailureCode;

/** A document that brings a parser down. */
export interface HostilePdf {
  readonly make: () => Promise<Uint8Array>;
  /** All that may become of it. */
  readonly outcomes: readonly HostileOutcome[];
  /** The same where an operation has to read the content of the page. */
  readonly outcomesWithContent?: readonly HostileOutcome[];
}

/** Documents that are small and bring a parser down, each by its own way; the names say which. */
export const hostilePdfs: Readonly<Record<string, HostilePdf>> = {
  'four hundred thousand blanks between objects': { make: async () => hangingPdf(), outcomes: ['time_limit'] },
  'an object stream of twenty million arrays': {
    make: async () => heapFillingPdf(),
    outcomes: ['memory_limit', 'time_limit'],
  },
  'a cross-reference stream of entries two billion bytes wide': {
    make: async () => crossReferenceStreamPdf('/W[1 2000000000 1]'),
    outcomes: ['repaired'],
  },
  'a cross-reference stream of two billion entries': {
    make: async () => crossReferenceStreamPdf('/W[1 4 2]/Index[0 2000000000]'),
    outcomes: ['repaired'],
  },
  'a cross-reference stream of two billion entries without a byte': {
    make: async () => crossReferenceStreamPdf('/W[0 0 0]/Index[0 2000000000]'),
    outcomes: ['repaired'],
  },
  'an object stream that inflates to a gigabyte': {
    make: () => objectStreamBomb('unused'),
    outcomes: ['limit_exceeded', 'memory_limit'],
  },
  'an object stream that inflates to a gigabyte and holds the page': {
    make: () => objectStreamBomb('page'),
    outcomes: ['limit_exceeded', 'memory_limit'],
  },
  'a page tree that uses its kids again, ten million leaves': {
    make: async () => sharedKidsPdf(),
    outcomes: ['repaired', 'memory_limit'],
  },
  'a page tree that is its own kid': { make: async () => endlessPageTreePdf(), outcomes: ['corrupt_document'] },
  'content that inflates twice, to a gigabyte': {
    make: () => contentBomb(),
    outcomes: ['completed'],
    outcomesWithContent: ['completed', 'memory_limit', 'time_limit'],
  },
  'an array in an array, a hundred thousand deep': {
    make: async () => nestedArraysPdf(100_000),
    outcomes: ['repaired'],
  },
  'an image of 20,000 by 20,000 pixels': { make: async () => hugeImagePdf(), outcomes: ['completed'] },
  'a page of 14.4 million points': { make: async () => hugePagePdf(), outcomes: ['completed'] },
  'a form that draws itself': { make: async () => selfDrawingPdf(), outcomes: ['completed'] },
  'a cross-reference table whose previous one is at 0, and itself': {
    make: async () => endlessPreviousPdf(),
    outcomes: ['repaired'],
  },
};

/** One stream of a document: what stands in its dictionary beside the length, and its bytes. */
interface RawStream {
  readonly entries: string;
  readonly bytes: Uint8Array;
}

const catalog = '<</Type/Catalog/Pages 2 0 R>>';
const onePage = '<</Type/Pages/Kids[3 0 R]/Count 1>>';

/** A document of these objects, from 1; one that is `null` is left out, for it is in an object stream. */
function rawDocument(objects: readonly (string | RawStream | null)[]): Uint8Array {
  const parts: Uint8Array[] = [Buffer.from('%PDF-1.7\n')];
  const offsets: number[] = [];
  let length = parts[0]?.byteLength ?? 0;
  for (const [index, object] of objects.entries()) {
    if (object === null) continue;
    offsets[index] = length;
    const bytes = Buffer.concat([Buffer.from(`${index + 1} 0 obj\n`), bytesOf(object), Buffer.from('\nendobj\n')]);
    parts.push(bytes);
    length += bytes.byteLength;
  }
  const rows = objects.map((_, index) =>
    offsets[index] === undefined ? '0000000000 65535 f \n' : `${String(offsets[index]).padStart(10, '0')} 00000 n \n`,
  );
  const table = `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${rows.join('')}`;
  parts.push(Buffer.from(`${table}trailer\n<</Root 1 0 R/Size ${objects.length + 1}>>\nstartxref\n${length}\n%%EOF\n`));
  return Buffer.concat(parts);
}

function bytesOf(object: string | RawStream): Uint8Array {
  if (typeof object === 'string') return Buffer.from(object);
  const { entries, bytes } = object;
  const head = Buffer.from(`<<${entries}/Length ${bytes.byteLength}>>\nstream\n`);
  return Buffer.concat([head, bytes, Buffer.from('\nendstream')]);
}

/** Deflates so many spaces behind a head, without ever holding them. */
async function deflatedSpaces(head: string, bytes: number): Promise<Uint8Array> {
  const deflate = createDeflate({ level: 9 });
  const block = Buffer.alloc(2 ** 20, ' ');
  const written = (async () => {
    deflate.write(head);
    for (let left = bytes; left > 0; left -= block.byteLength)
      if (!deflate.write(block.subarray(0, left))) await new Promise((resolve) => deflate.once('drain', resolve));
    deflate.end();
  })();
  const chunks: Buffer[] = [];
  for await (const chunk of deflate) chunks.push(chunk as Buffer);
  await written;
  return Buffer.concat(chunks);
}

/** Sound but for the stream that stands for its table, of which these entries say how long it is. */
function crossReferenceStreamPdf(entries: string): Uint8Array {
  const stream = { entries: `/Type/XRef/Size 2000000000/Root 1 0 R${entries}`, bytes: Buffer.alloc(28) };
  const whole = Buffer.from(rawDocument([catalog, onePage, pageWith(''), content, stream])).toString('latin1');
  const body = whole.slice(0, whole.lastIndexOf('xref\n0 '));
  return Buffer.from(`${body}startxref\n${body.indexOf('5 0 obj')}\n%%EOF\n`, 'latin1');
}

async function objectStreamBomb(holds: 'unused' | 'page'): Promise<Uint8Array> {
  const page = '<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]>>';
  const [number, object] = holds === 'page' ? [3, page] : [5, '<<>>'];
  const head = `${number} 0 `;
  const bytes = await deflatedSpaces(`${head}${object}`, bombBytes);
  const stream = { entries: `/Type/ObjStm/N 1/First ${head.length}/Filter/FlateDecode`, bytes };
  return rawDocument([catalog, onePage, holds === 'page' ? null : page, stream]);
}

/** Seven levels of ten kids that are all the same. */
function sharedKidsPdf(): Uint8Array {
  const levels = 7;
  const nodes = Array.from({ length: levels }, (_, level) => {
    const kids = Array.from({ length: 10 }, () => `${level + 3} 0 R`).join(' ');
    return `<</Type/Pages/Kids[${kids}]/Count ${10 ** (levels - level)}>>`;
  });
  return rawDocument([catalog, ...nodes, `<</Type/Page/Parent ${levels + 1} 0 R/MediaBox[0 0 9 9]>>`]);
}

async function contentBomb(): Promise<Uint8Array> {
  const bytes = deflateSync(await deflatedSpaces('', bombBytes), { level: 9 });
  return rawDocument([catalog, onePage, pageWith(''), { entries: '/Filter[/FlateDecode/FlateDecode]', bytes }]);
}

function nestedArraysPdf(depth: number): Uint8Array {
  return rawDocument([catalog, onePage, pageWith('/Deep 5 0 R'), content, `${'['.repeat(depth)}${']'.repeat(depth)}`]);
}

function hugeImagePdf(): Uint8Array {
  const side = 20_000;
  const bytes = deflateSync(Buffer.alloc((side * side) / 8), { level: 9 });
  const image = `/Type/XObject/Subtype/Image/Width ${side}/Height ${side}/ColorSpace/DeviceGray/BitsPerComponent 1`;
  const page = pageWith('/Resources<</XObject<</I 5 0 R>>>>');
  return rawDocument([catalog, onePage, page, content, { entries: `${image}/Filter/FlateDecode`, bytes }]);
}

function hugePagePdf(): Uint8Array {
  const page = '<</Type/Page/Parent 2 0 R/MediaBox[0 0 14400000 14400000]/UserUnit 1000/Contents 4 0 R>>';
  return rawDocument([catalog, onePage, page, content]);
}

function selfDrawingPdf(): Uint8Array {
  const form = '/Type/XObject/Subtype/Form/BBox[0 0 9 9]/Resources<</XObject<</I 5 0 R>>>>';
  const page = pageWith('/Resources<</XObject<</I 5 0 R>>>>');
  return rawDocument([catalog, onePage, page, content, { entries: form, bytes: Buffer.from('/I Do /I Do') }]);
}

function endlessPreviousPdf(): Uint8Array {
  const sound = Buffer.from(rawDocument([catalog, onePage, pageWith(''), content])).toString('latin1');
  const start = sound.lastIndexOf('xref\n0 ');
  const again = sound.slice(start).replace('<</Root', `<</Prev ${sound.length}/Root`);
  const last = again.replace(/startxref\n\d+/, `startxref\n${sound.length}`);
  return Buffer.from(`${sound.replace('<</Root', '<</Prev 0/Root')}${last}`, 'latin1');
}

const content: RawStream = { entries: '', bytes: Buffer.from('/I Do') };

function pageWith(entries: string): string {
  return `<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]/Contents 4 0 R${entries}>>`;
}
