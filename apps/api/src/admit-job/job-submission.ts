import { type FieldProblem, misplacedKey } from '#libs/contract';
import {
  escapePointer,
  type FingerprintBody,
  type FingerprintPart,
  parseStrictJson,
  StrictJsonError,
} from '#libs/domain';
import { filePartIdentity, type FilePart, type Part, type TextPart } from '../receive-upload/part.js';
import type { JobForm } from './choose-job.js';

/** A job as it was asked for: its identity is known before anything in it is checked. */
export interface JobSubmission {
  readonly identity: FingerprintBody;
  /** Uploaded files, in order. */
  readonly files: readonly FilePart[];
  readonly read: () => JobForm;
}

/** A submission that is JSON. */
export function jsonSubmission(json: unknown): JobSubmission {
  return {
    identity: { kind: 'json', json },
    files: [],
    read: () => ({ json, problems: [] }),
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
    read: () => formOf(parts, files.length),
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

/** Puts each field where it came; one that cannot be read has no value there. */
function formOf(parts: readonly Part[], files: number): JobForm {
  const json: Record<string, unknown> = {};
  const problems: FieldProblem[] = [];
  for (const part of parts) {
    const read = readField(part, json);
    if (read.problem !== undefined) problems.push(read.problem);
    if (part.kind !== 'file' || read.problem !== undefined) json[shown(part.field)] ??= read.value;
  }
  if (!Object.hasOwn(json, 'inputs')) json['inputs'] = Array.from({ length: files }, (_, part) => ({ part }));
  return { json, problems };
}

type ReadField = { readonly value: unknown; readonly problem?: undefined } | Unread;
interface Unread {
  readonly value?: undefined;
  readonly problem: FieldProblem;
}

function readField(part: Part, before: object): ReadField {
  if (part.kind === 'file')
    return part.field === 'files' ? { value: undefined } : unread(part.field, 'file parts are named files');
  const problem = nameProblem(part, before);
  if (problem !== null) return unread(part.field, problem);
  return part.field === 'operation' ? { value: part.text } : jsonOf(part);
}

function nameProblem({ field }: TextPart, before: object): string | null {
  if (field === 'idempotency_key') return misplacedKey('body');
  if (field === 'files') return 'must be a file: the part has no filename';
  if (!textFields.includes(field)) return `unknown field; there are ${[...textFields, 'files'].join(', ')}`;
  return Object.hasOwn(before, field) ? 'the field was sent twice' : null;
}

function jsonOf({ field, text }: TextPart): ReadField {
  try {
    return { value: parseStrictJson(text) };
  } catch (error) {
    if (!(error instanceof StrictJsonError)) throw error;
    return unread(field, error.message.replace(/^the text/, `the field ${field}`), error.pointer);
  }
}

function unread(field: string, detail: string, pointer = ''): Unread {
  return { problem: { pointer: `/${escapePointer(shown(field))}${pointer}`, detail } };
}

/** As much of the name of a field as is told of. */
function shown(field: string): string {
  return field.slice(0, 100);
}
