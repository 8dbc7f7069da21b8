import type { z } from 'zod';
import type { RequestErrorCode } from '../errors/request-errors.js';

/** What an API key may do. */
export const scopes = ['jobs:write', 'jobs:read', 'webhooks:manage', 'admin'] as const;

/** One of {@link scopes}. */
export type Scope = (typeof scopes)[number];

/** An answer that is no refusal: JSON of the schema, a document, or either; nothing when it is neither. */
export interface Answer {
  readonly status: number;
  readonly description: string;
  readonly schema: z.ZodType | null;
  readonly isDocument?: boolean;
}

/** One route of the API: everything that validates, describes or guards it reads this declaration. */
export interface Route {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Path with `:name` parameters. */
  readonly path: string;
  readonly summary: string;
  /** `null`: needs no API key. */
  readonly scope: Scope | null;
  /** Whether `Idempotency-Key` works on it; every POST that creates work or changes state is keyed. */
  readonly isKeyed: boolean;
  /** Whether a signed link opens it without an API key. */
  readonly takesSignedLink?: boolean;
  readonly query?: z.ZodObject;
  readonly json?: z.ZodType;
  /** Whether nothing may be sent in its place. */
  readonly isBodyOptional?: boolean;
  /** Most megabytes of JSON, 1 when left out. */
  readonly jsonMegabytes?: number;
  /** What the parts of a multipart body are. */
  readonly multipart?: z.ZodType;
  /** Whether the body names an operation and has its options. */
  readonly takesOperation?: boolean;
  /** Headers that change the answer, with what they do. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly answer: Answer;
  readonly otherAnswers?: readonly Answer[];
  readonly errors: readonly RequestErrorCode[];
}
