import { z } from 'zod';
import type { OperationDeclaration } from '../operation.js';
import { pagesOption } from '../selection/pages-option.js';

const quarterTurn = 90;
const mostDegrees = 3_600;

function tooFar({ input }: { readonly input?: unknown }): string {
  return `${JSON.stringify(input)} is too far: angles are from -${mostDegrees} to ${mostDegrees}`;
}

const rotateOptions = z.strictObject({
  angle: z
    .number({
      error: ({ input }) =>
        input === undefined
          ? 'is missing: say by how many degrees, a multiple of 90'
          : `${JSON.stringify(input)} is no angle: write a number that is a multiple of 90, from -${mostDegrees} to ${mostDegrees}`,
    })
    .min(-mostDegrees, { error: tooFar })
    .max(mostDegrees, { error: tooFar })
    .multipleOf(quarterTurn, { error: ({ input }) => `${JSON.stringify(input)} is not a multiple of 90` })
    .meta({ description: 'Degrees clockwise, a multiple of 90; negative is anticlockwise.', examples: [90, -90, 180] }),
  mode: z
    .enum(['relative', 'absolute'], {
      error: ({ input }) => `${JSON.stringify(input)} is no mode: use "relative" or "absolute"`,
    })
    .default('relative')
    .meta({
      description:
        'relative turns a page by the angle from how it is seen now, absolute sets its rotation to the angle.',
    }),
  pages: pagesOption.optional(),
});
export type RotateOptions = z.infer<typeof rotateOptions>;

/** One document with some or all of its pages turned. */
export const rotate: OperationDeclaration<RotateOptions> = {
  name: 'rotate',
  optionsSchema: rotateOptions,
  minInputs: 1,
  maxInputs: 1,
  pagesAreNamedBy: { option: 'pages' },
  progress: { unit: 'pages', total: () => 0 },
  load: async () => ({ run: (await import('./run-rotate.js')).runRotate }),
};
