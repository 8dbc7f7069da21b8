import {
  type BatchItemRequest,
  batchRequestSchema,
  type FieldProblem,
  refusedAt,
  refusedFor,
  RequestRefused,
  validate,
} from '#libs/contract';
import { chooseOperation, type ChosenOperation } from '../admit-job/job-submission.js';

/** An item of a batch whose operation, options and number of inputs are in order. */
export interface ChosenItem extends ChosenOperation {
  readonly item: BatchItemRequest;
}

const mostInputs = 10_000;

/**
 * Reads the body of a batch and checks all that can be known of its items without the database.
 *
 * @throws RequestRefused `invalid_request`, naming every item at fault
 */
export function readBatch(json: unknown): readonly ChosenItem[] {
  const { items } = validate(batchRequestSchema, json, 'body');
  const problems: FieldProblem[] = [];
  const chosen = items.flatMap((item, index) => {
    try {
      return [{ item, ...chooseOperation(item) }];
    } catch (error) {
      problems.push(...problemsOf(error, `/items/${index}`));
      return [];
    }
  });
  if (problems.length > 0) throw refusedFor('invalid_request', problems);
  checkInputs(items);
  return chosen;
}

function problemsOf(error: unknown, item: string): readonly FieldProblem[] {
  if (!(error instanceof RequestRefused)) throw error;
  return (error.extra.errors ?? []).map(({ pointer, detail }) => ({ pointer: `${item}${pointer}`, detail }));
}

function checkInputs(items: readonly BatchItemRequest[]): void {
  const inputs = items.reduce((sum, item) => sum + item.inputs.length, 0);
  if (inputs > mostInputs)
    throw refusedAt('invalid_request', '/items', `they have ${inputs} inputs in all; a batch takes ${mostInputs}`);
}
