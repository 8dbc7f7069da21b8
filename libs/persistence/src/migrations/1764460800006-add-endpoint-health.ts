import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The health of endpoints, their own retry schedules, which deliveries are recovered, and when each endpoint has something due. */
export class AddEndpointHealth1764460800006 implements MigrationInterface {
  readonly name = 'AddEndpointHealth1764460800006';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(endpointHealth);
    await runner.query(dueDeliveries);
    await runner.query(dueEndpoints);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
DROP TRIGGER deliveries_come_due ON deliveries;
DROP TRIGGER deliveries_come_due_again ON deliveries;
DROP TRIGGER webhook_endpoints_take_again ON webhook_endpoints;
DROP FUNCTION note_due_deliveries(), note_taking_endpoints(), note_due_endpoint(uuid, timestamptz);
DROP TABLE due_endpoints;
DROP INDEX deliveries_due_by_endpoint, deliveries_in_flight, deliveries_open_by_age;
ALTER TABLE deliveries DROP COLUMN is_recovered, DROP COLUMN uncounted;
CREATE INDEX deliveries_due_by_endpoint ON deliveries (endpoint_id, next_attempt_at) WHERE state = 'pending';
CREATE INDEX deliveries_open_by_endpoint ON deliveries (endpoint_id, state) WHERE state IN ('pending', 'delivering');
ALTER TABLE webhook_endpoints ADD COLUMN failing_since timestamptz(3);
UPDATE webhook_endpoints SET failing_since = first_failure_at WHERE state <> 'healthy';
ALTER TABLE webhook_endpoints
  DROP COLUMN retry_schedule, DROP COLUMN consecutive_failures, DROP COLUMN first_failure_at, DROP COLUMN probes,
  DROP COLUMN probe_at, DROP COLUMN disabled_at, DROP COLUMN disabled_reason, DROP COLUMN enabled_at, DROP COLUMN sequence;
`);
  }
}

const endpointHealth = `
-- retry_schedule: seconds before each attempt after the first; NULL for the default. first_failure_at: of those since the last delivery; of a
-- disabled endpoint NULL if it was not failing. A failing endpoint is only probed, at probe_at. sequence grows with every change of its state.
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
UPDATE webhook_endpoints SET first_failure_at = failing_since WHERE state <> 'healthy';
UPDATE webhook_endpoints SET disabled_at = now(), disabled_reason = 'gone' WHERE state = 'disabled';
ALTER TABLE webhook_endpoints
  DROP COLUMN failing_since,
  ADD CONSTRAINT webhook_endpoints_failing_has_a_probe CHECK ((state = 'failing') = (probe_at IS NOT NULL)),
  ADD CONSTRAINT webhook_endpoints_disabled_has_a_reason
    CHECK ((state = 'disabled') = (disabled_at IS NOT NULL) AND (disabled_at IS NULL) = (disabled_reason IS NULL));
`;

const dueDeliveries = `
-- Recovered deliveries of an endpoint wait for its others. uncounted: attempts that the retry schedule does not count.
ALTER TABLE deliveries
  ADD COLUMN is_recovered boolean NOT NULL DEFAULT false,
  ADD COLUMN uncounted    integer NOT NULL DEFAULT 0;

-- The claim takes the earliest due of each endpoint and rank: first attempts, retries, recovered ones.
DROP INDEX deliveries_due_by_endpoint, deliveries_open_by_endpoint;
CREATE INDEX deliveries_due_by_endpoint
  ON deliveries (endpoint_id, (CASE WHEN is_recovered THEN 2 WHEN attempt > 0 THEN 1 ELSE 0 END), next_attempt_at) WHERE state = 'pending';
CREATE INDEX deliveries_in_flight ON deliveries (endpoint_id, event_id) WHERE state = 'delivering';
CREATE INDEX deliveries_open_by_age ON deliveries (created_at) WHERE state IN ('pending', 'delivering');
`;

const dueEndpoints = `
-- When an endpoint may have something due: never later than it has, so the claim looks at no other. Every endpoint has a row. Whoever makes
-- something due holds the row FOR KEY SHARE until it commits; whoever moves due_at on holds it FOR UPDATE, and so sees all that is due.
-- Locks are taken in this order: endpoints, deliveries, rows of this table; of each the one with the lowest id first.
CREATE TABLE due_endpoints (
  endpoint_id uuid CONSTRAINT due_endpoints_pkey PRIMARY KEY
    CONSTRAINT due_endpoints_endpoint_exists REFERENCES webhook_endpoints ON DELETE CASCADE,
  due_at      timestamptz(3) NOT NULL
) WITH (fillfactor = 50);
CREATE INDEX due_endpoints_by_due_at ON due_endpoints (due_at);
INSERT INTO due_endpoints (endpoint_id, due_at)
SELECT id, coalesce((SELECT min(next_attempt_at) FROM deliveries WHERE endpoint_id = webhook_endpoints.id AND state = 'pending'), 'infinity')
FROM webhook_endpoints;

CREATE FUNCTION note_due_endpoint(endpoint uuid, at timestamptz) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM FROM due_endpoints WHERE endpoint_id = endpoint FOR KEY SHARE;
  UPDATE due_endpoints SET due_at = at WHERE endpoint_id = endpoint AND due_at > at;
END
$$;

CREATE FUNCTION note_due_deliveries() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  due record;
BEGIN
  FOR due IN SELECT endpoint_id, min(next_attempt_at) AS at FROM fresh WHERE state = 'pending' GROUP BY endpoint_id ORDER BY endpoint_id LOOP
    PERFORM note_due_endpoint(due.endpoint_id, due.at);
  END LOOP;
  RETURN NULL;
END
$$;
CREATE TRIGGER deliveries_come_due AFTER INSERT ON deliveries REFERENCING NEW TABLE AS fresh
  FOR EACH STATEMENT EXECUTE FUNCTION note_due_deliveries();
CREATE TRIGGER deliveries_come_due_again AFTER UPDATE ON deliveries REFERENCING NEW TABLE AS fresh
  FOR EACH STATEMENT EXECUTE FUNCTION note_due_deliveries();

CREATE FUNCTION note_taking_endpoints() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  taking record;
BEGIN
  FOR taking IN
    SELECT fresh.id, coalesce(fresh.probe_at, now()) AS at FROM fresh JOIN stale ON stale.id = fresh.id
    WHERE fresh.state <> 'disabled' AND (stale.state <> fresh.state OR stale.probe_at > fresh.probe_at)
    ORDER BY fresh.id
  LOOP
    PERFORM note_due_endpoint(taking.id, taking.at);
  END LOOP;
  RETURN NULL;
END
$$;
CREATE TRIGGER webhook_endpoints_take_again AFTER UPDATE ON webhook_endpoints REFERENCING OLD TABLE AS stale NEW TABLE AS fresh
  FOR EACH STATEMENT EXECUTE FUNCTION note_taking_endpoints();
`;
