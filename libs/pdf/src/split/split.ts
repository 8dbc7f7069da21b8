import { z } from 'zod';
import type { OperationDeclaration } from '../operation.js';
import { parsePageRange } from './page-range.js';

/** A request that names more parts is refused rather than tried. */
const maxRanges = 1000;

const pageRange = z
  .string()
  .refine((text) => parsePageRange(text) !== null, {
    error: ({ input }) =>
      `${JSON.stringify(input)} is not a page range: write 3, 1-3, 4- (to the end) or -2--1 (counted from the end).`,
  })
  .meta({ description: 'Pages from 1; negative numbers count from the end.', examples: ['3', '1-3', '4-', '-2--1'] });

const splitOptions = z.discriminatedUnion(
  'by',
  [
    z.strictObject({ by: z.literal('pages').default('pages') }, { error: rangesWithoutBy }),
    z.strictObject({ by: z.literal('ranges'), ranges: z.array(pageRange).min(1).max(maxRanges) }),
  ],
  { error: ({ code, input }) => (code === 'invalid_union' ? wrongDiscriminator(input) : undefined) },
);
export type SplitOptions = z.infer<typeof splitOptions>;

/** One document in parts: one for each page, or one for each range. */
export const split: OperationDeclaration<SplitOptions> = {
  name: 'split',
  optionsSchema: splitOptions,
  minInputs: 1,
  maxInputs: 1,
  pagesAreNamedBy: { option: 'ranges' },
  progress: { unit: 'pages', total: () => 0 },
  load: async () => ({ run: (await import('./run-split.js')).runSplit }),
};

/** Whoever sends ranges means them. */
function rangesWithoutBy({ code, keys, input }: z.core.$ZodRawIssue): string | undefined {
  if (code !== 'unrecognized_keys' || !(keys as readonly string[]).includes('ranges')) return undefined;
  const hasBy = typeof input === 'object' && input !== null && 'by' in input;
  return hasBy ? 'goes with "by": "ranges" only' : '"by" is missing: ranges go with "by": "ranges"';
}

function wrongDiscriminator(input: unknown): string {
  const by = typeof input === 'object' && input !== null && 'by' in input ? input.by : undefined;
  return `${JSON.stringify(by)} is no way to split: use "pages" or "ranges".`;
}
