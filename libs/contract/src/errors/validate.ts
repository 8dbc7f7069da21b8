import { escapePointer } from '#libs/domain';
import type { z } from 'zod';
import { plainSentence } from './plain-sentence.js';
import { type FieldProblem, refusedFor } from './problem.js';

/** Where in a request a value stands, for the pointer of a problem. */
export type RequestPlace = 'body' | 'query';

/** What is said of an idempotency key that is not in its header. */
export function misplacedKey(place: RequestPlace): string {
  return `the idempotency key is sent in the Idempotency-Key header, not in the ${place}`;
}

/** A value as its schema reads it, or each field at fault. */
export type Reading<T> =
  | { readonly isValid: true; readonly value: T; readonly problems: readonly [] }
  | { readonly isValid: false; readonly problems: readonly FieldProblem[] };

/** Checks a value of a request against its schema. */
export function readAs<S extends z.ZodType>(schema: S, value: unknown, place: RequestPlace): Reading<z.output<S>> {
  const result = schema.safeParse(value, { error: plainSentence });
  if (result.success) return { isValid: true, value: result.data, problems: [] };
  return { isValid: false, problems: result.error.issues.flatMap((issue) => problems(issue, place)) };
}

/**
 * The same for a value that has to be valid.
 *
 * @throws RequestRefused `invalid_request`, naming each field at fault
 */
export function validate<S extends z.ZodType>(schema: S, value: unknown, place: RequestPlace): z.output<S> {
  if (place === 'query') refuseNul(value);
  const reading = readAs(schema, value, place);
  if (reading.isValid) return reading.value;
  throw refusedFor('invalid_request', reading.problems);
}

/** No stored text has U+0000, and Postgres takes none. */
function refuseNul(query: unknown): void {
  const bad = Object.entries(query as object).filter(([name, text]) => `${name}${String(text)}`.includes('\u0000'));
  if (bad.length === 0) return;
  throw refusedFor(
    'invalid_request',
    bad.map(([name]) => ({ pointer: pointerOf([name], 'query'), detail: 'contains U+0000' })),
  );
}

function problems(issue: z.core.$ZodIssue, place: RequestPlace): readonly FieldProblem[] {
  if (issue.code !== 'unrecognized_keys') return [{ pointer: pointerOf(issue.path, place), detail: issue.message }];
  return issue.keys.map((key) => ({
    pointer: pointerOf([...issue.path, key], place),
    detail: key === 'idempotency_key' ? misplacedKey(place) : issue.message,
  }));
}

function pointerOf(path: readonly PropertyKey[], place: RequestPlace): string {
  const pointer = path.map((token) => `/${escapePointer(String(token))}`).join('');
  return place === 'body' ? pointer : `query:${pointer.slice(1)}`;
}
