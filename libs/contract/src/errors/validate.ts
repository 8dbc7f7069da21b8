import { escapePointer } from '#libs/domain';
import type { z } from 'zod';
import { type FieldProblem, RequestRefused } from './problem.js';

/** Where in a request a value stands, for the pointer of a problem. */
export type RequestPlace = 'body' | 'query' | 'path';

/**
 * Checks a value of a request against its schema.
 *
 * @throws RequestRefused `invalid_request`, naming each field at fault
 */
export function validate<S extends z.ZodType>(schema: S, value: unknown, place: RequestPlace): z.output<S> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const errors = result.error.issues.flatMap((issue) => problems(issue, place));
  throw new RequestRefused(
    'invalid_request',
    errors.map((error) => `${error.pointer || place}: ${error.detail}`).join('; '),
    { errors },
  );
}

function problems(issue: z.core.$ZodIssue, place: RequestPlace): readonly FieldProblem[] {
  if (issue.code !== 'unrecognized_keys') return [{ pointer: pointerOf(issue.path, place), detail: issue.message }];
  return issue.keys.map((key) => ({ pointer: pointerOf([...issue.path, key], place), detail: unknownField(key) }));
}

function unknownField(key: string): string {
  if (key === 'idempotency_key') return 'the idempotency key is sent in the Idempotency-Key header, not in the body';
  return 'unknown field';
}

function pointerOf(path: readonly PropertyKey[], place: RequestPlace): string {
  const pointer = path.map((token) => `/${escapePointer(String(token))}`).join('');
  return place === 'body' ? pointer : `${place}:${pointer.slice(1)}`;
}
