import { adviceTexts, type ErrorEntry, type JobErrorEntry, jobErrors, requestErrors } from '#libs/contract';

/** An error code with its row of the catalogue: of a refused request or of a failed job. */
export type ExplainedError =
  | ({ readonly code: string; readonly of: 'refused_request'; readonly what_to_do: string } & ErrorEntry)
  | ({ readonly code: string; readonly of: 'failed_job'; readonly what_to_do: string } & JobErrorEntry);

/** What there is to know of an error code, `null` when there is no such code. */
export function explainError(code: string): ExplainedError | null {
  const request = entryOf<ErrorEntry>(requestErrors, code);
  if (request !== null) return { code, of: 'refused_request', ...request, what_to_do: whatToDo(request) };
  const job = entryOf<JobErrorEntry>(jobErrors, code);
  return job === null ? null : { code, of: 'failed_job', ...job, what_to_do: whatToDo(job) };
}

/** Every error code: those of refused requests, then those of failed jobs. */
export function explainedErrors(): readonly ExplainedError[] {
  const codes = [...Object.keys(requestErrors), ...Object.keys(jobErrors)];
  return codes.map(explainError).filter((explained) => explained !== null);
}

function entryOf<Entry>(catalogue: Readonly<Record<string, Entry>>, code: string): Entry | null {
  return Object.hasOwn(catalogue, code) ? (catalogue[code] ?? null) : null;
}

function whatToDo({ retry }: Pick<ErrorEntry | JobErrorEntry, 'retry'>): string {
  return adviceTexts[retry].sentence;
}
