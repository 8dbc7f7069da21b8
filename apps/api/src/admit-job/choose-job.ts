import { type FieldProblem, type JobRequest, jobRequestSchema, readAs, refusedFor } from '#libs/contract';
import { type OperationDeclaration, operationNames, operations } from '#libs/pdf';
import { checkInputs } from './check-inputs.js';
import { inDocumentOrder } from '../field-problems/document-order.js';
import { aboutOtherValues, inOtherFields } from '../field-problems/other-problems.js';
import { isObject } from './is-object.js';

/** An operation with options that passed its schema. */
export interface ChosenOperation {
  readonly operation: OperationDeclaration;
  readonly options: object;
}

/** A request that is in order as far as it tells itself, and the operation that it asks for. */
export interface ChosenJob extends ChosenOperation {
  readonly request: JobRequest;
}

/** A request in its JSON form, and what was found at fault when it was brought into it. */
export interface JobForm {
  readonly json: unknown;
  readonly problems: readonly FieldProblem[];
}

/** What an operation makes of a request; without a choice its schema, or that of the request, has found problems. */
export interface CheckedOperation {
  readonly chosen: ChosenOperation | null;
  readonly problems: readonly FieldProblem[];
}

interface Checker {
  readonly operation: OperationDeclaration;
  readonly schema: ReturnType<typeof schemaOf>;
}

/** Made once: a schema costs more to make than what it checks. */
const checkers = new Map<string, Checker>(
  operationNames.map((name) => [name, { operation: operations[name], schema: schemaOf(operations[name]) }]),
);

/**
 * Checks all that a request itself tells: its fields, its operation with its options, the number of its inputs and what goes with them.
 *
 * @throws RequestRefused `invalid_request`, with everything that is at fault, in the order of the request
 */
export function chooseJob({ json, problems }: JobForm): ChosenJob {
  const request = readAs(jobRequestSchema, json, 'body');
  const { chosen, problems: found } = checkOperation(json);
  const checked = [...request.problems, ...aboutOtherValues(request.problems, found)];
  const all = [...problems, ...inOtherFields(problems, checked)];
  if (all.length === 0 && request.isValid && chosen !== null) return { ...chosen, request: request.value };
  throw refusedFor('invalid_request', inDocumentOrder(json, all));
}

/** Checks a request by the operation that it names. What is of a wrong type is left to the schema of the request to tell. */
export function checkOperation(json: unknown): CheckedOperation {
  if (!isObject(json) || typeof json['operation'] !== 'string') return { chosen: null, problems: [] };
  const checker = checkers.get(json['operation']);
  if (checker === undefined) return { chosen: null, problems: [unknownOperation(json['operation'])] };
  const { chosen, problems } = readOptions(checker, json['options']);
  const { inputs } = json;
  const others = Array.isArray(inputs) ? checkInputs(checker.operation, chosen?.options ?? null, inputs) : [];
  return { chosen, problems: [...problems, ...others] };
}

function readOptions({ operation, schema }: Checker, sent: unknown = {}): CheckedOperation {
  if (!isObject(sent)) return { chosen: null, problems: [] };
  const read = readAs(schema, { options: sent }, 'body');
  return {
    chosen: read.isValid ? { operation, options: read.value.options as object } : null,
    problems: read.problems,
  };
}

function unknownOperation(name: string): FieldProblem {
  const shown = JSON.stringify(name.slice(0, 100));
  return { pointer: '/operation', detail: `unknown operation ${shown}; there are ${operationNames.join(', ')}` };
}

function schemaOf({ optionsSchema }: OperationDeclaration) {
  return jobRequestSchema.pick({ options: true }).extend({ options: optionsSchema });
}
