import { type FieldProblem, type JobRequest, jobRequestSchema, readAs, refusedFor } from '#libs/contract';
import { type OperationDeclaration, operationNames, operations } from '#libs/pdf';
import { checkInputs } from './check-inputs.js';
import { inDocumentOrder } from './document-order.js';
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

/** What the operation of a request makes of it. */
interface Look {
  readonly chosen: ChosenOperation | null;
  readonly problems: readonly FieldProblem[];
}

interface Choice {
  readonly operation: OperationDeclaration;
  readonly schema: ReturnType<typeof schemaOf>;
}

/** Made once: a schema costs more to make than what it checks. */
const choices = new Map<string, Choice>(
  operationNames.map((name) => [name, { operation: operations[name], schema: schemaOf(operations[name]) }]),
);

/**
 * Checks all that a request itself tells: its fields, its operation with its options, the number of its inputs and what goes with them.
 *
 * @throws RequestRefused `invalid_request`, with everything that is at fault, in the order of the request
 */
export function chooseJob({ json, problems }: JobForm): ChosenJob {
  const request = readAs(jobRequestSchema, json, 'body');
  const { chosen, problems: found } = lookAtJob(json);
  const all = [...problems, ...outside(problems, [...request.problems, ...beside(request.problems, found)])];
  if (all.length === 0 && request.isValid && chosen !== null) return { ...chosen, request: request.value };
  throw refusedFor('invalid_request', inDocumentOrder(json, all));
}

/** Looks at what the operation of a request makes of it. What is of a wrong type is left to the schema of the request to tell. */
export function lookAtJob(json: unknown): Look {
  if (!isObject(json) || typeof json['operation'] !== 'string') return { chosen: null, problems: [] };
  const choice = choices.get(json['operation']);
  if (choice === undefined) return { chosen: null, problems: [unknownOperation(json['operation'])] };
  const { chosen, problems } = readOptions(choice, json['options']);
  const { inputs } = json;
  const others = Array.isArray(inputs) ? checkInputs(choice.operation, chosen?.options ?? null, inputs) : [];
  return { chosen, problems: [...problems, ...others] };
}

function readOptions({ operation, schema }: Choice, sent: unknown = {}): Look {
  if (!isObject(sent)) return { chosen: null, problems: [] };
  const read = readAs(schema, { options: sent }, 'body');
  return {
    chosen: read.isValid ? { operation, options: read.value.options as object } : null,
    problems: read.problems,
  };
}

/** The problems among `others` that are not about the very values that are told of already. */
export function beside(told: readonly FieldProblem[], others: readonly FieldProblem[]): readonly FieldProblem[] {
  const pointers = new Set(told.map(({ pointer }) => pointer));
  return others.filter(({ pointer }) => !pointers.has(pointer));
}

/** Those that are in other fields of the request: what a field lacks says nothing when it could not be read. */
function outside(unread: readonly FieldProblem[], others: readonly FieldProblem[]): readonly FieldProblem[] {
  const fields = new Set(unread.map(fieldOf));
  return others.filter((problem) => !fields.has(fieldOf(problem)));
}

function fieldOf({ pointer }: FieldProblem): string | undefined {
  return pointer.split('/', 2)[1];
}

function unknownOperation(name: string): FieldProblem {
  const shown = JSON.stringify(name.slice(0, 100));
  return { pointer: '/operation', detail: `unknown operation ${shown}; there are ${operationNames.join(', ')}` };
}

function schemaOf({ optionsSchema }: OperationDeclaration) {
  return jobRequestSchema.pick({ options: true }).extend({ options: optionsSchema });
}
