import { z } from 'zod';
import { type RequestErrorCode, requestErrors } from './catalogue.js';

/** What is wrong with one value of a request; `pointer` is a JSON pointer (RFC 6901) into the body, or names a header or query parameter. */
export interface FieldProblem {
  readonly pointer: string;
  readonly detail: string;
}

/** The problem document of RFC 9457, with a stable code and the id that the log has too. */
export const problemSchema = z
  .strictObject({
    type: z.string(),
    title: z.string(),
    status: z.int(),
    code: z.string(),
    detail: z.string(),
    request_id: z.string(),
    errors: z.array(z.strictObject({ pointer: z.string(), detail: z.string() })).optional(),
  })
  .meta({ id: 'Problem' });

/** See {@link problemSchema}. */
export type Problem = z.infer<typeof problemSchema>;

/** A refusal: thrown anywhere in the handling of a request and turned into a problem document in one place. */
export class RequestRefused extends Error {
  override readonly name = 'RequestRefused';

  constructor(
    readonly code: RequestErrorCode,
    readonly detail: string,
    readonly extra: {
      readonly errors?: readonly FieldProblem[];
      readonly retryAfterSeconds?: number;
      readonly headers?: Readonly<Record<string, string>>;
    } = {},
    options?: ErrorOptions,
  ) {
    super(detail, options);
  }

  get status(): number {
    return requestErrors[this.code].status;
  }
}

/** The problem document of a refusal. */
export function problemOf(refusal: RequestRefused, requestId: string): Problem {
  const { status, title } = requestErrors[refusal.code];
  return {
    type: `/docs/errors/${refusal.code}`,
    title,
    status,
    code: refusal.code,
    detail: refusal.detail,
    request_id: requestId,
    ...(refusal.extra.errors === undefined ? {} : { errors: [...refusal.extra.errors] }),
  };
}
