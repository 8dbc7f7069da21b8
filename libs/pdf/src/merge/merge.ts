import { z } from 'zod';
import type { OperationDeclaration } from '../operation.js';
import { outlineStyles } from '../assemble/outline/outline-styles.js';

const mergeOptions = z.strictObject({
  outline: z.enum(outlineStyles).default('by_input').meta({
    description:
      'How the outlines of the inputs become one: a branch for each input, all items one after the other, or none.',
  }),
  flatten: z.boolean().default(false).meta({ description: 'Whether form fields become a part of their pages.' }),
});
export type MergeOptions = z.infer<typeof mergeOptions>;

/** All pages of all inputs, in their order, in one document. */
export const merge: OperationDeclaration<MergeOptions> = {
  name: 'merge',
  optionsSchema: mergeOptions,
  minInputs: 1,
  maxInputs: null,
  pagesAreNamedBy: 'inputs',
  progress: { unit: 'inputs', total: (_options, inputCount) => inputCount },
  load: async () => ({ run: (await import('./run-merge.js')).runMerge }),
};
