import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Webhook endpoints with their secrets, deliveries with their attempts. */
export class CreateWebhooks1764460800004 implements MigrationInterface {
  readonly name = 'CreateWebhooks1764460800004';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
-- Header values and secrets are sealed with SECRET_KEY. A deleted endpoint stays for its deliveries' sake.
CREATE TABLE webhook_endpoints (
  id             uuid CONSTRAINT webhook_endpoints_pkey PRIMARY KEY,
  account_id     uuid NOT NULL CONSTRAINT webhook_endpoints_account_exists REFERENCES accounts,
  url            text NOT NULL,
  event_types    text[] NOT NULL,
  description    text,
  sealed_headers text,
  metadata       jsonb NOT NULL,
  state          text NOT NULL DEFAULT 'healthy'
    CONSTRAINT webhook_endpoints_state_is_known CHECK (state IN ('healthy', 'failing', 'disabled')),
  failing_since  timestamptz(3),
  created_at     timestamptz(3) NOT NULL,
  deleted_at     timestamptz(3)
);
CREATE INDEX webhook_endpoints_by_account ON webhook_endpoints (account_id, id DESC) WHERE deleted_at IS NULL;

CREATE TABLE endpoint_secrets (
  id          uuid CONSTRAINT endpoint_secrets_pkey PRIMARY KEY,
  endpoint_id uuid NOT NULL CONSTRAINT endpoint_secrets_endpoint_exists REFERENCES webhook_endpoints ON DELETE CASCADE,
  sealed      text NOT NULL,
  created_at  timestamptz(3) NOT NULL,
  expires_at  timestamptz(3)
);
CREATE INDEX endpoint_secrets_by_endpoint ON endpoint_secrets (endpoint_id, created_at DESC);

-- One row per event and endpoint, written with the event; a redelivery is a row of its own. claim fences the sender's writes.
CREATE TABLE deliveries (
  id              uuid CONSTRAINT deliveries_pkey PRIMARY KEY,
  account_id      uuid NOT NULL CONSTRAINT deliveries_account_exists REFERENCES accounts,
  event_id        uuid NOT NULL CONSTRAINT deliveries_event_exists REFERENCES events ON DELETE CASCADE,
  endpoint_id     uuid NOT NULL CONSTRAINT deliveries_endpoint_exists REFERENCES webhook_endpoints,
  state           text NOT NULL
    CONSTRAINT deliveries_state_is_known
    CHECK (state IN ('pending', 'delivering', 'delivered', 'exhausted', 'skipped', 'cancelled')),
  attempt         integer NOT NULL DEFAULT 0,
  claim           integer NOT NULL DEFAULT 0,
  next_attempt_at timestamptz(3),
  lease_until     timestamptz(3),
  redelivery_of   uuid,
  created_at      timestamptz(3) NOT NULL DEFAULT now(),
  finished_at     timestamptz(3),
  CONSTRAINT deliveries_pending_has_a_time CHECK ((state = 'pending') = (next_attempt_at IS NOT NULL)),
  CONSTRAINT deliveries_delivering_has_a_lease CHECK ((state = 'delivering') = (lease_until IS NOT NULL))
);
CREATE UNIQUE INDEX deliveries_one_per_event_and_endpoint ON deliveries (event_id, endpoint_id) WHERE redelivery_of IS NULL;
-- The claim hops from endpoint to endpoint and takes the earliest due of each.
CREATE INDEX deliveries_due_by_endpoint ON deliveries (endpoint_id, next_attempt_at) WHERE state = 'pending';
CREATE INDEX deliveries_leased ON deliveries (lease_until) WHERE state = 'delivering';
CREATE INDEX deliveries_open_by_endpoint ON deliveries (endpoint_id, state) WHERE state IN ('pending', 'delivering');
CREATE INDEX deliveries_by_account ON deliveries (account_id, id DESC);
CREATE INDEX deliveries_by_event ON deliveries (event_id);
CREATE INDEX deliveries_by_endpoint ON deliveries (endpoint_id, id DESC);

CREATE TABLE delivery_attempts (
  delivery_id   uuid NOT NULL CONSTRAINT delivery_attempts_delivery_exists REFERENCES deliveries ON DELETE CASCADE,
  number        integer NOT NULL,
  claim         integer NOT NULL,
  started_at    timestamptz(3) NOT NULL DEFAULT now(),
  duration_ms   integer,
  outcome       text NOT NULL DEFAULT 'unknown',
  status_code   smallint,
  response_body text,
  CONSTRAINT delivery_attempts_pkey PRIMARY KEY (delivery_id, number)
);
`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE delivery_attempts, deliveries, endpoint_secrets, webhook_endpoints;');
  }
}
