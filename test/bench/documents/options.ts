import { parseArgs } from 'node:util';

/** The parts of the bench of documents, in the order in which they run. */
export const partNames = ['split', 'merge', 'containment', 'comparison'] as const;

/** One of {@link partNames}. */
export type PartName = (typeof partNames)[number];

export interface DocumentBenchOptions {
  readonly parts: readonly PartName[];
  readonly pairs: number;
  /** A folder of real documents; `null` for generated ones. */
  readonly samples: string | null;
}

/** What a command line asks for. */
export type ParsedOptions =
  | { readonly kind: 'run'; readonly options: DocumentBenchOptions }
  | { readonly kind: 'help'; readonly text: string }
  | { readonly kind: 'refused'; readonly problem: string };

const help = `Measures what the operations on documents make and take, against qpdf and pdfcpu in the same run. A missed target is no error.

  npm run bench:documents -- [options]

  --only PART     one part alone
  --pairs N       pairs of each comparison of times (5)
  --samples DIR   the real documents of the merge (../shared/samples beside the checkout, where it is)
  --help          this text

Parts:
  split           a book of 165 pages that share their pictures, in pages
  merge           twenty documents in one
  containment     what four hostile documents in the pool cost the good ones, and how far they get
  comparison      what a merge of two and of three documents keeps, as the table of docs/comparison.md

qpdf has to be installed for the first two; pdfcpu, mutool and pdfunite are left out, and said so, where they are not.`;

const options = {
  only: { type: 'string' },
  pairs: { type: 'string', default: '5' },
  samples: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const;

/** Reads the command line; every refusal names the option. */
export function parseOptions(args: readonly string[], defaultSamples: string | null): ParsedOptions {
  try {
    const { values } = parseArgs({ args: [...args], options });
    if (values.help === true) return { kind: 'help', text: help };
    const samples = values.samples ?? defaultSamples;
    return { kind: 'run', options: { parts: partsOf(values.only), pairs: count(values.pairs), samples } };
  } catch (error) {
    return { kind: 'refused', problem: (error as Error).message };
  }
}

function partsOf(only: string | undefined): readonly PartName[] {
  if (only === undefined) return partNames;
  const part = partNames.find((known) => known === only);
  if (part === undefined) throw new Error(`--only: unknown part ${only}; there are ${partNames.join(', ')}`);
  return [part];
}

function count(text: string): number {
  if (!/^[1-9]\d{0,2}$/.test(text)) throw new Error('--pairs must be a whole number from 1 to 999');
  return Number(text);
}
