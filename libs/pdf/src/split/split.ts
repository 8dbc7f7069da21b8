import { z } from 'zod';
import type { OperationDeclaration } from '../operation.js';
import { pagesOption } from '../selection/pages-option.js';

/** A request that names more parts is refused rather than tried. */
const maxRanges = 1000;
const ways = ['pages', 'ranges', 'every', 'outline', 'size'];
/** The option that goes with a way, by its name. */
const wayOf: ReadonlyMap<string, string> = new Map([
  ['ranges', 'ranges'],
  ['pages', 'every'],
  ['max_bytes', 'size'],
]);

const everyPages = z.int().min(1).meta({ description: 'Pages of each part; the last may have fewer.' });
const maxBytes = z.int().min(1).meta({ description: 'Bytes that a part has at most, unless a single page has more.' });

const splitOptions = z.discriminatedUnion(
  'by',
  [
    z.strictObject({ by: z.literal('pages').default('pages') }, { error: misplacedOption }),
    z.strictObject(
      { by: z.literal('ranges'), ranges: z.array(pagesOption).min(1).max(maxRanges) },
      { error: misplacedOption },
    ),
    z.strictObject({ by: z.literal('every'), pages: everyPages }, { error: misplacedOption }),
    z.strictObject({ by: z.literal('outline') }, { error: misplacedOption }),
    z.strictObject({ by: z.literal('size'), max_bytes: maxBytes }, { error: misplacedOption }),
  ],
  { error: ({ code, input }) => (code === 'invalid_union' ? wrongDiscriminator(input) : undefined) },
);
export type SplitOptions = z.infer<typeof splitOptions>;

/** One document in parts. */
export const split: OperationDeclaration<SplitOptions> = {
  name: 'split',
  optionsSchema: splitOptions,
  minInputs: 1,
  maxInputs: 1,
  pagesAreNamedBy: { option: 'ranges' },
  progress: { unit: 'pages', total: () => 0 },
  load: async () => ({ run: (await import('./run-split.js')).runSplit }),
};

/** Whoever sends ranges means them. All names of an issue share its sentence. */
function misplacedOption({ code, keys, input }: z.core.$ZodRawIssue): string | undefined {
  if (code !== 'unrecognized_keys') return undefined;
  const names = keys as readonly string[];
  const places = [...wayOf].filter(([name]) => names.includes(name)).map(placeOf);
  if (places.length === 0) return undefined;
  const by = byOf(input);
  const rest = places.length < names.length ? '; the other fields are unknown' : '';
  return `"by" is ${by === undefined ? 'missing' : JSON.stringify(by)}: ${places.join(', ')}${rest}`;
}

function placeOf([name, way]: readonly [string, string]): string {
  return `${name} goes with "by": "${way}"`;
}

function wrongDiscriminator(input: unknown): string {
  return `${JSON.stringify(byOf(input))} is no way to split: use ${ways.map((way) => JSON.stringify(way)).join(', ')}`;
}

function byOf(input: unknown): unknown {
  return typeof input === 'object' && input !== null && 'by' in input ? input.by : undefined;
}
