import { OutputBudget } from '../../../libs/pdf/src/document/write/output-budget.js';

/** More than a test makes. */
export function ampleBudget(): OutputBudget {
  return new OutputBudget({ maxOutputs: 100_000, maxOutputBytes: 2 ** 30 });
}
