import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Events, and the outbox that carries them and the commands to Kafka. */
export class CreateEvents1764460800003 implements MigrationInterface {
  readonly name = 'CreateEvents1764460800003';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
-- body is the text that is sent, byte for byte, on every attempt. The transaction id lets a poll return only rows that are older than every
-- running transaction, so a late commit is never skipped.
CREATE TABLE events (
  id             uuid CONSTRAINT events_pkey PRIMARY KEY,
  account_id     uuid NOT NULL CONSTRAINT events_account_exists REFERENCES accounts,
  type           text NOT NULL,
  job_id         uuid,
  batch_id       uuid,
  endpoint_id    uuid,
  sequence       bigint,
  body           text NOT NULL CONSTRAINT events_body_is_thin CHECK (octet_length(body) <= 20000),
  occurred_at    timestamptz(3) NOT NULL,
  created_at     timestamptz(3) NOT NULL DEFAULT now(),
  transaction_id xid8 NOT NULL DEFAULT pg_current_xact_id()
);
CREATE UNIQUE INDEX events_one_end_per_job ON events (job_id) WHERE type IN ('job.completed', 'job.failed', 'job.cancelled');
CREATE UNIQUE INDEX events_one_end_per_batch ON events (batch_id) WHERE type = 'batch.completed';
CREATE INDEX events_by_account ON events (account_id, id DESC);
CREATE INDEX events_in_order ON events (account_id, transaction_id, id);
CREATE INDEX events_by_age ON events (created_at);

-- pending: for the relay; published: Kafka has it; local: written without Kafka, never published later; dead: Kafka refuses it.
CREATE TABLE outbox (
  id            bigint GENERATED ALWAYS AS IDENTITY CONSTRAINT outbox_pkey PRIMARY KEY,
  topic         text NOT NULL,
  key           text NOT NULL,
  event_id      uuid NOT NULL,
  type          text NOT NULL,
  body          text NOT NULL,
  occurred_at   timestamptz(3) NOT NULL,
  state         text NOT NULL CONSTRAINT outbox_state_is_known CHECK (state IN ('pending', 'published', 'local', 'dead')),
  claimed_until timestamptz(3),
  reason        text,
  created_at    timestamptz(3) NOT NULL DEFAULT now(),
  settled_at    timestamptz(3)
) WITH (autovacuum_vacuum_scale_factor = 0.02);
CREATE INDEX outbox_pending ON outbox (id) WHERE state = 'pending';
CREATE INDEX outbox_by_age ON outbox (created_at) WHERE state <> 'pending';
`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE outbox, events;');
  }
}
