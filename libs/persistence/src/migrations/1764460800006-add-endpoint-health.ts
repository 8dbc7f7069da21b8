import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The health of endpoints, their own retry schedules, and the lane of recovered deliveries. */
export class AddEndpointHealth1764460800006 implements MigrationInterface {
  readonly name = 'AddEndpointHealth1764460800006';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
-- retry_schedule: seconds before each attempt after the first; NULL for the default. A failing endpoint is only probed, at probe_at. sequence
-- grows with every change of its state.
ALTER TABLE webhook_endpoints
  ADD COLUMN retry_schedule       integer[],
  ADD COLUMN consecutive_failures integer NOT NULL DEFAULT 0,
  ADD COLUMN first_failure_at     timestamptz(3),
  ADD COLUMN probes               integer NOT NULL DEFAULT 0,
  ADD COLUMN probe_at             timestamptz(3),
  ADD COLUMN disabled_at          timestamptz(3),
  ADD COLUMN disabled_reason      text
    CONSTRAINT webhook_endpoints_disabled_reason_is_known CHECK (disabled_reason IN ('gone', 'failing', 'requested')),
  ADD COLUMN enabled_at           timestamptz(3),
  ADD COLUMN sequence             bigint NOT NULL DEFAULT 0;
UPDATE webhook_endpoints SET disabled_at = now(), disabled_reason = 'gone' WHERE state = 'disabled';
ALTER TABLE webhook_endpoints
  ADD CONSTRAINT webhook_endpoints_failing_has_a_probe CHECK ((state = 'failing') = (probe_at IS NOT NULL)),
  ADD CONSTRAINT webhook_endpoints_disabled_has_a_reason
    CHECK ((state = 'disabled') = (disabled_at IS NOT NULL) AND (disabled_at IS NULL) = (disabled_reason IS NULL));

-- Recovered deliveries of an endpoint wait for its others.
ALTER TABLE deliveries ADD COLUMN is_recovered boolean NOT NULL DEFAULT false;
`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
ALTER TABLE deliveries DROP COLUMN is_recovered;
ALTER TABLE webhook_endpoints
  DROP COLUMN retry_schedule, DROP COLUMN consecutive_failures, DROP COLUMN first_failure_at, DROP COLUMN probes,
  DROP COLUMN probe_at, DROP COLUMN disabled_at, DROP COLUMN disabled_reason, DROP COLUMN enabled_at, DROP COLUMN sequence;
`);
  }
}
