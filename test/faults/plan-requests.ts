import { corruptPdf, samplePdf, widthsFrom } from '../support/pdf-samples.js';
import type { SeededRandom } from './random.js';

/** A PDF that requests are made of; the service knows it as `fileId` once it is uploaded. */
export interface SourceDocument {
  readonly name: string;
  readonly pages: number;
  readonly bytes: Uint8Array;
}

/** A source document that was uploaded. */
export interface UploadedDocument extends SourceDocument {
  readonly fileId: string;
}

/** What a job must come to. */
export interface Expectation {
  readonly state: 'completed' | 'failed';
  /** Of all outputs together. */
  readonly pages: number;
}

/** One request that a client will send until it is accepted. */
export interface PlannedRequest {
  readonly key: string;
  /** How many times it is sent at once. */
  readonly copies: number;
  readonly expects: Expectation;
  readonly operation: 'merge' | 'split';
  readonly options: object;
  readonly isMultipart: boolean;
  readonly documents: readonly UploadedDocument[];
}

const pageCounts = [1, 20, 80, 160, 240];
const multipartShare = 0.4;
const splitShare = 0.3;
const corruptShare = 0.04;
const copiedShare = 0.25;

/** The documents of a run: from one page, which takes no time, to as many as keep a worker busy for a moment. */
export async function sourceDocuments(): Promise<SourceDocument[]> {
  const whole = await Promise.all(
    pageCounts.map(async (pages, index) => ({
      name: `source-${pages}.pdf`,
      pages,
      bytes: await samplePdf(widthsFrom(100 * (index + 1), pages)),
    })),
  );
  return [...whole, { name: 'corrupt.pdf', pages: 0, bytes: corruptPdf() }];
}

/** The next request of a run. */
export function planRequest(key: string, documents: readonly UploadedDocument[], random: SeededRandom): PlannedRequest {
  const [first, ...others] = documents.filter(({ pages }) => pages > 0);
  const corrupt = documents.find(({ pages }) => pages === 0);
  if (first === undefined || corrupt === undefined) throw new Error('there are no documents to send');
  const pick = (): UploadedDocument => random.pick([first, ...others]);
  const common = {
    key,
    copies: random.chance(copiedShare) ? random.integer(2, 3) : 1,
    isMultipart: random.chance(multipartShare),
  };
  if (random.chance(corruptShare)) {
    const expects = { state: 'failed' as const, pages: 0 };
    return { ...common, expects, operation: 'merge', options: {}, documents: [pick(), corrupt] };
  }
  return random.chance(splitShare) ? splitOf(common, pick()) : mergeOf(common, pick, random);
}

type Common = Pick<PlannedRequest, 'key' | 'copies' | 'isMultipart'>;

function mergeOf(common: Common, pick: () => UploadedDocument, random: SeededRandom): PlannedRequest {
  const documents = Array.from({ length: random.integer(1, 3) }, pick);
  const pages = documents.reduce((sum, document) => sum + document.pages, 0);
  return { ...common, expects: { state: 'completed', pages }, operation: 'merge', options: {}, documents };
}

function splitOf(common: Common, document: UploadedDocument): PlannedRequest {
  const middle = Math.ceil(document.pages / 2);
  const ranges = document.pages === 1 ? ['1'] : [`1-${middle}`, `${middle + 1}-`];
  const expects = { state: 'completed' as const, pages: document.pages };
  return { ...common, expects, operation: 'split', options: { by: 'ranges', ranges }, documents: [document] };
}
