import { z } from 'zod';
import { type JobErrorEntry, jobErrors } from './job-errors.js';
import { type RequestErrorCode, requestErrors } from './request-errors.js';

/** What is wrong with one value of a request; `pointer` is a JSON pointer (RFC 6901) into the body, or `query:` and the name of a parameter. */
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

/** What a problem document tells besides its code, status and title. */
export interface RefusalExtra {
  readonly errors?: readonly FieldProblem[];
  readonly retryAfterSeconds?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

/** What a request is told instead of what it asked for. */
export interface Refusal {
  readonly code: string;
  readonly status: number;
  readonly title: string;
  readonly detail: string;
  readonly extra: RefusalExtra;
}

/**
 * A refusal: thrown anywhere in the handling of a request and turned into a problem document in one place. Its detail ends without a full
 * stop, as those of its errors do, which it is made of.
 */
export class RequestRefused extends Error implements Refusal {
  override readonly name = 'RequestRefused';

  constructor(
    readonly code: RequestErrorCode,
    readonly detail: string,
    readonly extra: RefusalExtra = {},
    options?: ErrorOptions,
  ) {
    super(detail, options);
  }

  get status(): number {
    return requestErrors[this.code].status;
  }

  get title(): string {
    return requestErrors[this.code].title;
  }
}

const mostProblems = 100;

/** The refusal of single values of a request: the first 100 are named in the detail and in `errors`, the rest is counted in the detail. */
export function refusedFor(code: RequestErrorCode, problems: readonly FieldProblem[]): RequestRefused {
  const errors = problems.slice(0, mostProblems);
  const more = problems.length - errors.length;
  const sentences = [...errors.map(sentence), ...(more > 0 ? [`and ${more} more`] : [])];
  return new RequestRefused(code, sentences.join('; '), { errors });
}

/** The refusal of one value of a request. */
export function refusedAt(code: RequestErrorCode, pointer: string, detail: string): RequestRefused {
  return refusedFor(code, [{ pointer, detail }]);
}

function sentence({ pointer, detail }: FieldProblem): string {
  return `${pointer.replace(/^query:/, 'query ') || 'body'}: ${detail}`;
}

const failedJobStatus = 422;

/** What a request that asked for the document of a job is told when the job made none. */
export function refusedByJob(code: string, message: string): Refusal {
  const entries: Readonly<Record<string, JobErrorEntry>> = jobErrors;
  return { code, status: failedJobStatus, title: entries[code]?.title ?? 'The job failed', detail: message, extra: {} };
}

/** The problem document of a refusal. */
export function problemOf({ code, status, title, detail, extra }: Refusal, requestId: string): Problem {
  return {
    type: `/docs/errors/${code}`,
    title,
    status,
    code,
    detail,
    request_id: requestId,
    ...(extra.errors === undefined ? {} : { errors: [...extra.errors] }),
  };
}
