import { type BatchItemRequest, batchRequestSchema, type FieldProblem, readAs, refusedFor } from '#libs/contract';
import { checkOperation, type ChosenOperation } from '../admit-job/choose-job.js';
import { isObject } from '../admit-job/is-object.js';
import { inDocumentOrder } from '../field-problems/document-order.js';
import { aboutOtherValues } from '../field-problems/other-problems.js';

/** An item of a batch whose operation, options and number of inputs are in order. */
export interface ChosenItem extends ChosenOperation {
  readonly item: BatchItemRequest;
}

const mostInputs = 10_000;

/**
 * Reads the body of a batch and checks all that can be known of its items without the database.
 *
 * @throws RequestRefused `invalid_request`, naming everything that is at fault, in the order of the body
 */
export function readBatch(json: unknown): readonly ChosenItem[] {
  const batch = readAs(batchRequestSchema, json, 'body');
  const items = itemsOf(json, batch.problems);
  const checked = items.map(checkOperation);
  const found = checked.flatMap(({ problems }, index) => problems.map((problem) => inItem(index, problem)));
  const others = [...repeatedNames(items), ...inputsInAll(items), ...found];
  const problems = [...batch.problems, ...aboutOtherValues(batch.problems, others)];
  if (!batch.isValid || problems.length > 0) throw refusedFor('invalid_request', inDocumentOrder(json, problems));
  return batch.value.items.flatMap((item, index) => {
    const chosen = checked[index]?.chosen ?? null;
    return chosen === null ? [] : [{ item, ...chosen }];
  });
}

/** The items as they were sent; none when they are no list, or not as many as a batch may have. */
function itemsOf(json: unknown, problems: readonly FieldProblem[]): readonly unknown[] {
  const items = isObject(json) ? json['items'] : null;
  return Array.isArray(items) && !problems.some(({ pointer }) => pointer === '/items') ? items : [];
}

function inItem(index: number, { pointer, detail }: FieldProblem): FieldProblem {
  return { pointer: `/items/${index}${pointer}`, detail };
}

function repeatedNames(items: readonly unknown[]): readonly FieldProblem[] {
  const names = items.map((item) => (isObject(item) ? item['client_item_id'] : undefined));
  const places = new Map<unknown, number>();
  for (const [index, name] of names.entries()) if (!places.has(name)) places.set(name, index);
  return names.flatMap((name, index) => {
    const first = places.get(name);
    if (typeof name !== 'string' || first === index) return [];
    const detail = `${JSON.stringify(name)} is the client_item_id of item ${first} too`;
    return [inItem(index, { pointer: '/client_item_id', detail })];
  });
}

function inputsInAll(items: readonly unknown[]): readonly FieldProblem[] {
  const inputs = items.reduce<number>((sum, item) => sum + countInputs(item), 0);
  const detail = `they have ${inputs} inputs in all; a batch takes ${mostInputs}`;
  return inputs > mostInputs ? [{ pointer: '/items', detail }] : [];
}

function countInputs(item: unknown): number {
  const inputs = isObject(item) ? item['inputs'] : null;
  return Array.isArray(inputs) ? inputs.length : 0;
}
