import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Recoveries of endpoints, and what sending a delivery again needs. */
export class CreateRecoveries1764460800007 implements MigrationInterface {
  readonly name = 'CreateRecoveries1764460800007';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
-- A recovery walks the events of its account by (occurred_at, id) and has done with those up to its cursor. One step is one statement, which
-- moves the cursor with what it wrote. The transaction id lets the first step wait for everything that was being written when it was asked for.
CREATE TABLE recoveries (
  id             uuid CONSTRAINT recoveries_pkey PRIMARY KEY,
  account_id     uuid NOT NULL CONSTRAINT recoveries_account_exists REFERENCES accounts,
  endpoint_id    uuid NOT NULL CONSTRAINT recoveries_endpoint_exists REFERENCES webhook_endpoints,
  since          timestamptz(3) NOT NULL,
  until          timestamptz(3),
  states         text[] NOT NULL
    CONSTRAINT recoveries_states_are_known CHECK (states <@ ARRAY['exhausted', 'skipped', 'missing'] AND states <> '{}'),
  state          text NOT NULL DEFAULT 'running'
    CONSTRAINT recoveries_state_is_known CHECK (state IN ('running', 'completed', 'cancelled')),
  cursor_at      timestamptz(3) NOT NULL,
  cursor_id      uuid NOT NULL DEFAULT '00000000-0000-0000-0000-000000000000',
  events         bigint NOT NULL DEFAULT 0,
  rearmed        bigint NOT NULL DEFAULT 0,
  inserted       bigint NOT NULL DEFAULT 0,
  next_step_at   timestamptz NOT NULL DEFAULT now(),
  transaction_id xid8 NOT NULL DEFAULT pg_current_xact_id(),
  created_at     timestamptz(3) NOT NULL,
  finished_at    timestamptz(3),
  CONSTRAINT recoveries_ended_has_an_end CHECK ((state = 'running') = (finished_at IS NULL))
);
-- Each step takes the recovery that has waited longest.
CREATE INDEX recoveries_running ON recoveries (next_step_at) WHERE state = 'running';
CREATE INDEX recoveries_by_endpoint ON recoveries (endpoint_id, id DESC);
CREATE INDEX recoveries_by_age ON recoveries (finished_at) WHERE state <> 'running';

CREATE INDEX events_by_time ON events (account_id, occurred_at, id);

-- How much a recovery has put before a receiver that has not been sent yet.
CREATE INDEX deliveries_recovered ON deliveries (endpoint_id, next_attempt_at) WHERE state = 'pending' AND is_recovered;
`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
DROP INDEX deliveries_recovered, events_by_time;
DROP TABLE recoveries;
`);
  }
}
