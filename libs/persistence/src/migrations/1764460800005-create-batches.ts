import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Batches, inputs that are made later, the history of attempts, rate limits. */
export class CreateBatches1764460800005 implements MigrationInterface {
  readonly name = 'CreateBatches1764460800005';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
-- open_items falls by one in the transaction that ends a job of the batch; the one that takes it to 0 ends the batch.
CREATE TABLE batches (
  id          uuid CONSTRAINT batches_pkey PRIMARY KEY,
  account_id  uuid NOT NULL CONSTRAINT batches_account_exists REFERENCES accounts,
  items       integer NOT NULL,
  open_items  integer NOT NULL,
  created_at  timestamptz(3) NOT NULL,
  finished_at timestamptz(3),
  expires_at  timestamptz(3),
  CONSTRAINT batches_open_items_are_some_of_its_items CHECK (open_items BETWEEN 0 AND items),
  CONSTRAINT batches_ended_has_no_open_items CHECK ((finished_at IS NULL) = (open_items > 0))
);
CREATE INDEX batches_by_expiry ON batches (expires_at) WHERE expires_at IS NOT NULL;

-- The jobs of a batch live and go with it; ids grow in the order of the items.
DROP INDEX jobs_by_batch;
ALTER TABLE jobs
  ADD CONSTRAINT jobs_batch_exists FOREIGN KEY (batch_id) REFERENCES batches ON DELETE CASCADE,
  ADD CONSTRAINT jobs_batch_item_has_a_name CHECK ((batch_id IS NULL) = (client_item_id IS NULL)),
  ADD CONSTRAINT jobs_attempt_is_a_count CHECK (attempt >= 0);
CREATE INDEX jobs_by_batch ON jobs (batch_id, id) WHERE batch_id IS NOT NULL;
CREATE UNIQUE INDEX jobs_item_is_unique_in_batch ON jobs (batch_id, client_item_id) WHERE batch_id IS NOT NULL;

-- Whether some input is the output of a job that has not ended. Admission sets it; who ends the last of those jobs takes it back.
ALTER TABLE jobs ADD COLUMN awaits_inputs boolean NOT NULL DEFAULT false;
DROP INDEX jobs_ready, jobs_longest_ready;
CREATE INDEX jobs_ready ON jobs (account_id, ready_at, id) WHERE state = 'queued' AND NOT awaits_inputs;
CREATE INDEX jobs_longest_ready ON jobs (ready_at) WHERE state = 'queued' AND NOT awaits_inputs;

-- Name and type of an input are unknown until the job that makes it has completed.
ALTER TABLE job_inputs ALTER COLUMN name DROP NOT NULL, ALTER COLUMN media_type DROP NOT NULL;
CREATE INDEX job_inputs_by_source ON job_inputs (source_job_id) WHERE source_job_id IS NOT NULL;

-- One row per claim that started work; number is the attempt that users see, so one that was handed back shares it with the next.
CREATE TABLE job_attempts (
  job_id      uuid NOT NULL CONSTRAINT job_attempts_job_exists REFERENCES jobs ON DELETE CASCADE,
  claim       integer NOT NULL,
  number      integer NOT NULL,
  started_at  timestamptz(3) NOT NULL DEFAULT now(),
  finished_at timestamptz(3),
  outcome     text CONSTRAINT job_attempts_outcome_is_known
    CHECK (outcome IN ('completed', 'failed', 'requeued', 'handed_back', 'lost', 'cancelled')),
  CONSTRAINT job_attempts_pkey PRIMARY KEY (job_id, claim),
  CONSTRAINT job_attempts_ended_has_an_outcome CHECK ((finished_at IS NULL) = (outcome IS NULL))
);

-- Requests that an account may make anew, such as 600/60s; without one, the installation's RATE_LIMIT.
ALTER TABLE accounts ADD COLUMN rate_limit text
  CONSTRAINT accounts_rate_limit_is_a_rate CHECK (
    CASE WHEN rate_limit ~ '^[0-9]{1,7}/[0-9]{1,5}s$'
      THEN split_part(rate_limit, '/', 1)::integer >= 1 AND split_part(rate_limit, '/', 1)::integer <= 1000000
        AND rtrim(split_part(rate_limit, '/', 2), 's')::integer >= 1 AND rtrim(split_part(rate_limit, '/', 2), 's')::integer <= 86400
      ELSE rate_limit = 'off'
    END
  );

-- The window of each account: its name, what it has used, its end in Unix milliseconds. The limiter's own form.
CREATE TABLE rate_limits (
  key    varchar(255) CONSTRAINT rate_limits_pkey PRIMARY KEY,
  points integer NOT NULL DEFAULT 0,
  expire bigint
) WITH (fillfactor = 50);
CREATE INDEX rate_limits_by_end ON rate_limits (expire);
`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
DROP TABLE rate_limits, job_attempts;
ALTER TABLE accounts DROP COLUMN rate_limit;
DROP INDEX job_inputs_by_source, jobs_ready, jobs_longest_ready, jobs_item_is_unique_in_batch, jobs_by_batch;
UPDATE job_inputs SET name = coalesce(name, ''), media_type = coalesce(media_type, '');
ALTER TABLE job_inputs ALTER COLUMN name SET NOT NULL, ALTER COLUMN media_type SET NOT NULL;
ALTER TABLE jobs DROP CONSTRAINT jobs_batch_exists, DROP CONSTRAINT jobs_batch_item_has_a_name, DROP CONSTRAINT jobs_attempt_is_a_count, DROP COLUMN awaits_inputs;
CREATE INDEX jobs_by_batch ON jobs (batch_id) WHERE batch_id IS NOT NULL;
CREATE INDEX jobs_ready ON jobs (account_id, ready_at, id) WHERE state = 'queued';
CREATE INDEX jobs_longest_ready ON jobs (ready_at) WHERE state = 'queued';
DROP TABLE batches;
`);
  }
}
