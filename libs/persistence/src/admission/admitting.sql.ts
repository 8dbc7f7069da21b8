/** The parameters of {@link admitting}. */
export interface AdmittingParameters {
  /** Id of the API key. */
  readonly apiKey: string;
  readonly account: string;
  /** Ids of the jobs whose outputs are awaited. */
  readonly sources: string;
}

/**
 * The first parts of every admission: `caller` has a row if the API key is live, `sources.is_met` says whether every awaited job has not ended,
 * `allowed` has a row if both are so. The share lock keeps those jobs from ending before this admission has: who ends one afterwards finds
 * what awaits it.
 */
export function admitting({ apiKey, account, sources }: AdmittingParameters): string {
  return `caller AS (
  SELECT account_id AS caller_account FROM api_keys WHERE id = ${apiKey} AND revoked_at IS NULL
), source AS (
  SELECT id FROM jobs
  WHERE id = ANY(${sources}::uuid[]) AND account_id = ${account}::uuid AND state IN ('queued', 'processing')
  ORDER BY id FOR SHARE
), sources AS (
  SELECT (SELECT count(*) FROM source) = cardinality(${sources}::uuid[]) AS is_met
), allowed AS (
  SELECT caller_account FROM caller, sources WHERE is_met
)`;
}
