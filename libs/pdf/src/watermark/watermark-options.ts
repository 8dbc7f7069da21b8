import { z } from 'zod';
import { pagesOption } from '../selection/pages-option.js';
import { positions } from './place-stamp.js';

const mostCharacters = 2_000;
const mostLines = 100;
const mostPoints = 20_000;
export const defaultColor = '#808080';
export const defaultScale = 0.5;

/** Control characters but tab and newline (ISO/IEC 6429), a carriage return without its newline, and halves of characters. */
const undrawable = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]|\r(?!\n)|\p{Surrogate}/u;
const blank = /^[\s\p{Default_Ignorable_Code_Point}]*$/u;

const text = z
  .string()
  .max(mostCharacters, { error: `is longer than ${mostCharacters} characters` })
  .refine((value) => !blank.test(value), { error: 'has nothing to draw' })
  .refine((value) => value.split('\n', mostLines + 1).length <= mostLines, {
    error: `has more than ${mostLines} lines`,
  })
  .superRefine((value, context) => {
    const [character] = undrawable.exec(value) ?? [];
    if (character !== undefined)
      context.addIssue({
        code: 'custom',
        message: `has the character ${codePointOf(character)}, which cannot be drawn`,
      });
  })
  .meta({
    description: 'What to write; a newline begins a new line.',
    examples: ['DRAFT', 'For review\nNot for print'],
  });

function number(what: string, least: number, most: number) {
  return z
    .number({ error: ({ input }) => `${shown(input)} is no ${what}: write a number from ${least} to ${most}` })
    .min(least, { error: ({ input }) => `${shown(input)} is no ${what}: it is from ${least} to ${most}` })
    .max(most, { error: ({ input }) => `${shown(input)} is no ${what}: it is from ${least} to ${most}` });
}

const input = z
  .number({ error: ({ input: value }) => `${shown(value)} is no number of an input` })
  .int({ error: ({ input: value }) => `${shown(value)} is no number of an input` })
  .min(1, { error: ({ input: value }) => `${shown(value)} cannot be: input 0 is the document` })
  .meta({ description: 'The number of the input, from 1: input 0 is the document.' });

const options = z.strictObject({
  text: text.optional(),
  image: z.strictObject({ input }).optional().meta({ description: 'An input that is a PNG, JPEG, WebP, GIF or TIFF.' }),
  pdf: z
    .strictObject({
      input,
      page: z
        .number({ error: ({ input: value }) => `${shown(value)} is no page` })
        .int({ error: ({ input: value }) => `${shown(value)} is no page` })
        .min(1, { error: ({ input: value }) => `${shown(value)} is no page: they count from 1` })
        .max(999_999_999)
        .default(1),
    })
    .optional()
    .meta({ description: 'An input that is a PDF, and which of its pages is drawn.' }),
  layer: z
    .enum(['over', 'under'], { error: oneOf('layer', ['over', 'under']) })
    .default('over')
    .meta({ description: 'Whether it is drawn over or under what the page has.' }),
  position: z
    .enum(positions, { error: oneOf('position', positions) })
    .default('center')
    .meta({ description: 'Where on the page as a reader sees it.' }),
  offset: z
    .strictObject({
      x: number('offset', -mostPoints, mostPoints).default(0),
      y: number('offset', -mostPoints, mostPoints).default(0),
    })
    .default({ x: 0, y: 0 })
    .meta({ description: 'Moves it from its position, in points to the right and upwards.' }),
  margin: number('margin', 0, mostPoints).default(36).meta({ description: 'Points kept free along the edges.' }),
  opacity: number('opacity', 0, 1).default(0.5),
  angle: number('angle', -360, 360).default(0).meta({ description: 'Degrees counter-clockwise.' }),
  scale: number('scale', 0.01, 1)
    .optional()
    .meta({
      description: `The share of the width and height of the page that it may fill; ${defaultScale} if no size is said.`,
    }),
  font_size: number('font size', 1, 2_000).optional().meta({ description: 'For a text, in points, instead of scale.' }),
  color: z
    .string()
    .regex(/^#[0-9a-fA-F]{6}$/, { error: ({ input: value }) => `${shown(value)} is no color: write it as #rrggbb` })
    .optional()
    .meta({ description: `For a text; ${defaultColor} if none is said.`, examples: ['#c00000'] }),
  font: z
    .strictObject({ input })
    .optional()
    .meta({ description: 'For a text: an input that is a TrueType or OpenType font. The bundled one is Noto Sans.' }),
  tile: z
    .strictObject({
      gap_x: number('gap', 0, mostPoints).default(72),
      gap_y: number('gap', 0, mostPoints).default(72),
    })
    .optional()
    .meta({ description: 'Repeats it over the whole page, with gaps in points.' }),
  pages: pagesOption.optional(),
});
type Options = z.infer<typeof options>;

/** The options of a watermark, with what goes together and what does not. */
export const watermarkOptions = options.superRefine((value, context) => {
  for (const { path, message } of conflictsIn(value)) context.addIssue({ code: 'custom', path, message });
});
export type WatermarkOptions = Options;

const textOnly = ['font_size', 'color', 'font'] as const;

function conflictsIn(value: Options): Array<{ path: string[]; message: string }> {
  const given = (['text', 'image', 'pdf'] as const).filter((kind) => value[kind] !== undefined);
  if (given.length === 0) return [{ path: [], message: 'needs one of text, image and pdf: there is nothing to draw' }];
  if (given.length > 1)
    return given
      .slice(1)
      .map((kind) => ({ path: [kind], message: `cannot go with ${given[0]}: draw one thing at a time` }));
  if (value.text === undefined)
    return textOnly
      .filter((name) => value[name] !== undefined)
      .map((name) => ({ path: [name], message: `goes with text only, not with ${given[0]}` }));
  if (value.font_size === undefined || value.scale === undefined) return [];
  return [{ path: ['scale'], message: 'cannot go with font_size: say one size' }];
}

function oneOf(what: string, values: readonly string[]) {
  return ({ input: value }: { input: unknown }): string =>
    `${shown(value)} is no ${what}: use one of ${values.join(', ')}`;
}

/** A value as it may stand in a message, whatever it is. */
function shown(value: unknown): string {
  const json = JSON.stringify(value) ?? 'nothing';
  return json.length > 100 ? `${json.slice(0, 100)}…` : json;
}

function codePointOf(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}
