import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Idempotency keys, jobs with their inputs and outputs, and usage. */
export class CreateJobs1764460800002 implements MigrationInterface {
  readonly name = 'CreateJobs1764460800002';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
-- The primary key decides every race of admission. There is no state: a row exists if and only if its work was committed with it.
CREATE TABLE idempotency_keys (
  account_id   uuid NOT NULL CONSTRAINT idempotency_keys_account_exists REFERENCES accounts,
  route        text NOT NULL,
  key          text NOT NULL,
  fingerprint  text NOT NULL,
  job_id       uuid,
  batch_id     uuid,
  status       smallint NOT NULL,
  location     text,
  content_type text NOT NULL,
  body         bytea NOT NULL,
  is_sealed    boolean NOT NULL DEFAULT false,
  created_at   timestamptz(3) NOT NULL DEFAULT now(),
  expires_at   timestamptz(3),
  CONSTRAINT idempotency_keys_pkey PRIMARY KEY (account_id, route, key)
);
CREATE INDEX idempotency_keys_by_expiry ON idempotency_keys (expires_at) WHERE expires_at IS NOT NULL;
CREATE INDEX idempotency_keys_by_job ON idempotency_keys (job_id) WHERE job_id IS NOT NULL;
CREATE INDEX idempotency_keys_by_batch ON idempotency_keys (batch_id) WHERE batch_id IS NOT NULL;

-- claim fences every write of a worker: it grows at every claim, rescue, hand-back and cancel and is never lowered.
-- attempt is the counter that users see. ready_at is when a queued job may be claimed; run_at is when its user wants it to start.
CREATE TABLE jobs (
  id              uuid CONSTRAINT jobs_pkey PRIMARY KEY,
  account_id      uuid NOT NULL CONSTRAINT jobs_account_exists REFERENCES accounts,
  operation       text NOT NULL,
  options         jsonb NOT NULL,
  metadata        jsonb NOT NULL,
  idempotency_key text,
  batch_id        uuid,
  client_item_id  text,
  state           text NOT NULL DEFAULT 'queued'
    CONSTRAINT jobs_state_is_known CHECK (state IN ('queued', 'processing', 'completed', 'failed', 'cancelled')),
  attempt         integer NOT NULL DEFAULT 0,
  claim           integer NOT NULL DEFAULT 0,
  ready_at        timestamptz(3) NOT NULL DEFAULT now(),
  run_at          timestamptz(3),
  lease_until     timestamptz(3),
  progress_done   integer NOT NULL DEFAULT 0,
  progress_total  integer NOT NULL,
  progress_unit   text NOT NULL,
  warnings        jsonb NOT NULL DEFAULT '[]',
  error           jsonb,
  created_at      timestamptz(3) NOT NULL,
  started_at      timestamptz(3),
  finished_at     timestamptz(3),
  expires_at      timestamptz(3),
  CONSTRAINT jobs_processing_has_a_lease CHECK ((state = 'processing') = (lease_until IS NOT NULL)),
  CONSTRAINT jobs_ended_has_an_end CHECK ((state IN ('completed', 'failed', 'cancelled')) = (finished_at IS NOT NULL)),
  CONSTRAINT jobs_failed_has_an_error CHECK ((state = 'failed') = (error IS NOT NULL))
);
-- The claim goes round the accounts with ready jobs, oldest first within one.
CREATE INDEX jobs_ready ON jobs (account_id, ready_at, id) WHERE state = 'queued';
-- The consumer's fast path asks whether any ready job has waited longer than a poll.
CREATE INDEX jobs_longest_ready ON jobs (ready_at) WHERE state = 'queued';
CREATE INDEX jobs_leased ON jobs (lease_until) WHERE state = 'processing';
CREATE INDEX jobs_by_account ON jobs (account_id, id DESC);
CREATE INDEX jobs_by_idempotency_key ON jobs (account_id, idempotency_key) WHERE idempotency_key IS NOT NULL;
CREATE INDEX jobs_by_batch ON jobs (batch_id) WHERE batch_id IS NOT NULL;
CREATE INDEX jobs_by_expiry ON jobs (expires_at) WHERE expires_at IS NOT NULL;

-- An input names an object as long as its job may need it; name, size and hash stay.
CREATE TABLE job_inputs (
  job_id        uuid NOT NULL CONSTRAINT job_inputs_job_exists REFERENCES jobs ON DELETE CASCADE,
  index         integer NOT NULL,
  name          text NOT NULL,
  media_type    text NOT NULL,
  size          bigint,
  sha256        bytea,
  object_id     uuid CONSTRAINT job_inputs_object_exists REFERENCES objects,
  source_job_id uuid,
  source_output integer,
  url           text,
  CONSTRAINT job_inputs_pkey PRIMARY KEY (job_id, index)
);
CREATE INDEX job_inputs_by_object ON job_inputs (object_id) WHERE object_id IS NOT NULL;

-- The link key id is stored with the output, so its signed link is the same string at every reading.
CREATE TABLE job_outputs (
  job_id      uuid NOT NULL CONSTRAINT job_outputs_job_exists REFERENCES jobs ON DELETE CASCADE,
  index       integer NOT NULL,
  name        text NOT NULL,
  media_type  text NOT NULL,
  size        bigint NOT NULL,
  sha256      bytea NOT NULL,
  pages       integer NOT NULL,
  object_id   uuid CONSTRAINT job_outputs_object_exists REFERENCES objects,
  link_key_id text NOT NULL,
  expires_at  timestamptz(3) NOT NULL,
  CONSTRAINT job_outputs_pkey PRIMARY KEY (job_id, index)
);
CREATE INDEX job_outputs_by_object ON job_outputs (object_id) WHERE object_id IS NOT NULL;
CREATE INDEX job_outputs_by_expiry ON job_outputs (expires_at) WHERE object_id IS NOT NULL;

-- One record per completed job; it outlives its job.
CREATE TABLE usage_records (
  job_id       uuid CONSTRAINT usage_records_one_per_job PRIMARY KEY,
  account_id   uuid NOT NULL CONSTRAINT usage_records_account_exists REFERENCES accounts,
  operation    text NOT NULL,
  pages        integer NOT NULL,
  input_bytes  bigint NOT NULL,
  output_bytes bigint NOT NULL,
  completed_at timestamptz(3) NOT NULL
);
CREATE INDEX usage_records_by_time ON usage_records (account_id, completed_at);
`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE usage_records, job_outputs, job_inputs, jobs, idempotency_keys;');
  }
}
