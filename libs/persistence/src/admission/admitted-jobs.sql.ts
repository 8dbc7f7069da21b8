/** The jobs that a statement is asked to admit, from the JSON rows of {@link jobRow}: the relation `item`. */
export function itemsOf(parameter: string, ofKeys = ''): string {
  return `json_to_recordset(${parameter}::json) AS item
    (id uuid, account_id uuid, operation text, options jsonb, metadata jsonb, idempotency_key text, batch_id uuid, client_item_id text,
     progress_total integer, progress_unit text, created_at timestamptz, awaits_inputs boolean,
     outbox_key text, event_id uuid, type text, command text${ofKeys})`;
}

/** Parameters of {@link admittedJobs}. */
export interface AdmittedJobsParameters {
  /** The JSON rows of {@link inputRows}, of jobs that are not admitted too. */
  readonly inputs: string;
  readonly topic: string;
  /** Of the outbox rows. */
  readonly state: string;
}

/**
 * The last parts of every admission: jobs, inputs and commands of the rows of `item` that a part before them called `admitted`. Ids grow in the order of
 * the rows, so the outbox and the queue keep it. `command` has the id of each outbox row.
 */
export function admittedJobs({ inputs, topic, state }: AdmittedJobsParameters): string {
  return `job AS (
  INSERT INTO jobs (id, account_id, operation, options, metadata, idempotency_key, batch_id, client_item_id,
                    progress_total, progress_unit, created_at, awaits_inputs)
  SELECT id, account_id, operation, options, metadata, idempotency_key, batch_id, client_item_id,
         progress_total, progress_unit, created_at, awaits_inputs
  FROM admitted
), input AS (
  INSERT INTO job_inputs (job_id, index, name, media_type, size, sha256, object_id, source_job_id, source_output, url,
                          pages, sealed_password)
  SELECT job_id, index, name, media_type, size, decode(sha256, 'hex'), object_id, source_job_id, source_output, url,
         pages, sealed_password
  FROM admitted JOIN json_to_recordset(${inputs}::json) AS entry
    (job_id uuid, index integer, name text, media_type text, size bigint, sha256 text, object_id uuid, source_job_id uuid, source_output integer,
     url text, pages text, sealed_password text) ON entry.job_id = admitted.id
), command AS (
  INSERT INTO outbox (topic, key, event_id, type, body, occurred_at, state)
  SELECT ${topic}, outbox_key, event_id, type, command, created_at, ${state} FROM admitted ORDER BY id
  RETURNING id, event_id
)`;
}
