import {
  type JobRequest,
  jobRequestSchema,
  keyInBody,
  refusedAt,
  refusedFor,
  type RequestRefused,
  validate,
} from '#libs/contract';
import {
  escapePointer,
  type FingerprintBody,
  type FingerprintPart,
  parseStrictJson,
  StrictJsonError,
} from '#libs/domain';
import { type OperationDeclaration, operationNames, operations } from '#libs/pdf';
import { filePartIdentity, type FilePart, type Part, type TextPart } from '../receive-upload/part.js';
import { checkInputs } from './check-inputs.js';

/** A job as it was asked for: its identity is known before anything in it is checked. */
export interface JobSubmission {
  readonly identity: FingerprintBody;
  /** Uploaded files, in order. */
  readonly files: readonly FilePart[];
  /** The request in its JSON form. @throws RequestRefused */
  readonly read: () => JobRequest;
}

/** A submission that is JSON. */
export function jsonSubmission(json: unknown): JobSubmission {
  return {
    identity: { kind: 'json', json },
    files: [],
    read: () => validate(jobRequestSchema, json, 'body'),
  };
}

const jsonFields = ['options', 'metadata', 'inputs'];
const textFields = ['operation', ...jsonFields];

/** A submission that is multipart: text fields of the same names, and `files` in order. */
export function multipartSubmission(parts: readonly Part[]): JobSubmission {
  const files = parts.filter((part) => part.kind === 'file');
  return {
    identity: { kind: 'multipart', parts: parts.map(identityOf) },
    files,
    read: () => validate(jobRequestSchema, requestOf(parts, files.length), 'body'),
  };
}

function identityOf(part: Part): FingerprintPart {
  if (part.kind === 'file') return filePartIdentity(part);
  const json = jsonFields.includes(part.field) ? parsed(part.text) : undefined;
  return { field: part.field, value: json === undefined ? { kind: 'text', text: part.text } : { kind: 'json', json } };
}

function parsed(text: string): unknown {
  try {
    return parseStrictJson(text);
  } catch {
    return undefined;
  }
}

function requestOf(parts: readonly Part[], files: number): Readonly<Record<string, unknown>> {
  const request: Record<string, unknown> = {};
  for (const part of parts) {
    if (part.kind === 'file') checkFile(part);
    else request[fieldOf(part, request)] = part.field === 'operation' ? part.text : jsonOf(part);
  }
  if (request['inputs'] === undefined) request['inputs'] = Array.from({ length: files }, (_, part) => ({ part }));
  return request;
}

function checkFile(part: FilePart): void {
  if (part.field !== 'files') throw fieldRefusal(part.field, 'file parts are named files');
}

function fieldOf(part: TextPart, request: Readonly<Record<string, unknown>>): string {
  if (part.field === 'idempotency_key') throw fieldRefusal(part.field, keyInBody);
  if (part.field === 'files') throw fieldRefusal(part.field, 'must be a file: the part has no filename');
  if (!textFields.includes(part.field))
    throw fieldRefusal(part.field, `unknown field; there are ${[...textFields, 'files'].join(', ')}`);
  if (part.field in request) throw fieldRefusal(part.field, 'the field was sent twice');
  return part.field;
}

function jsonOf(part: TextPart): unknown {
  try {
    return parseStrictJson(part.text);
  } catch (error) {
    if (!(error instanceof StrictJsonError)) throw error;
    throw fieldRefusal(part.field, error.message.replace(/^the text/, `the field ${part.field}`), error.pointer);
  }
}

function fieldRefusal(field: string, detail: string, pointer = ''): RequestRefused {
  return refusedAt('invalid_request', `/${escapePointer(field.slice(0, 100))}${pointer}`, detail);
}

/** An operation with options that passed its schema. */
export interface ChosenOperation {
  readonly operation: OperationDeclaration;
  readonly options: object;
}

/** Made once: a schema costs more to make than what it checks. */
const choices = new Map<string, { operation: OperationDeclaration; schema: ReturnType<typeof schemaOf> }>(
  operationNames.map((name) => {
    const operation = operations[name];
    return [name, { operation, schema: schemaOf(operation) }];
  }),
);

/** Looks the operation up and checks its options, the number of its inputs and what goes with them. @throws RequestRefused `invalid_request` */
export function chooseOperation(request: JobRequest): ChosenOperation {
  const choice = choices.get(request.operation);
  if (choice === undefined) {
    throw fieldRefusal(
      'operation',
      `unknown operation ${JSON.stringify(request.operation.slice(0, 100))}; there are ${operationNames.join(', ')}`,
    );
  }
  const { options } = validate(choice.schema, { options: request.options }, 'body');
  checkInputCount(choice.operation, request.inputs.length);
  const problems = checkInputs(choice.operation, options, request.inputs);
  if (problems.length > 0) throw refusedFor('invalid_request', problems);
  return { operation: choice.operation, options: options as object };
}

function schemaOf({ optionsSchema }: OperationDeclaration) {
  return jobRequestSchema.pick({ options: true }).extend({ options: optionsSchema });
}

function checkInputCount({ name, minInputs, maxInputs }: OperationDeclaration, inputs: number): void {
  if (inputs < minInputs) throw fieldRefusal('inputs', `${name} needs at least ${plural(minInputs)}, not ${inputs}`);
  if (maxInputs !== null && inputs > maxInputs)
    throw fieldRefusal('inputs', `${name} takes at most ${plural(maxInputs)}, not ${inputs}`);
}

function plural(inputs: number): string {
  return inputs === 1 ? 'one input' : `${inputs} inputs`;
}
