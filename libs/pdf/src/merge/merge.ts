import { z } from 'zod';
import type { OperationDeclaration } from '../operation.js';

const mergeOptions = z.strictObject({});
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
