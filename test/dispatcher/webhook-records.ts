import { randomBytes } from 'node:crypto';
import { uuidv7 } from 'uuidv7';
import { envelope, type SecretKeyring, webhookSecret } from '#libs/domain';
import { type Database, EndpointStore, EventStore } from '#libs/persistence';

/** An endpoint in the database with the secret in the clear. */
export interface TestEndpoint {
  readonly id: string;
  readonly accountId: string;
  readonly secret: string;
}

/** A delivery and its attempts as they are in the database. */
export interface DeliveryRecord {
  readonly id: string;
  readonly endpoint_id: string;
  readonly event_id: string;
  readonly state: string;
  readonly attempt: number;
  readonly uncounted: number;
  readonly claim: number;
  /** From now to the next attempt, in milliseconds. */
  readonly wait_ms: number | null;
  readonly lease_ms: number | null;
  readonly attempts: readonly {
    readonly number: number;
    readonly outcome: string;
    readonly status_code: number | null;
    readonly duration_ms: number | null;
    readonly response_body: string | null;
  }[];
}

/** Writes accounts, endpoints, events and deliveries as the product does, and reads them back. */
export class WebhookRecords {
  readonly events = new EventStore({ topic: 'pdfonce.events.v1', state: 'local' });

  constructor(
    private readonly database: Database,
    private readonly keyring: SecretKeyring,
  ) {}

  run<Row extends object>(text: string, values: unknown[] = []): Promise<Row[]> {
    return this.database.query<Row>({ name: '', text }, values);
  }

  async account(): Promise<string> {
    const id = uuidv7();
    await this.run('INSERT INTO accounts (id, name) VALUES ($1::uuid, $1::text)', [id]);
    return id;
  }

  async endpoint(
    url: string,
    options: { accountId?: string; headers?: Record<string, string>; eventTypes?: string[] } = {},
  ): Promise<TestEndpoint> {
    const accountId = options.accountId ?? (await this.account());
    const secret = webhookSecret(randomBytes);
    const endpoint = {
      id: uuidv7(),
      accountId,
      url,
      eventTypes: options.eventTypes ?? ['job.*'],
      description: null,
      sealedHeaders: options.headers === undefined ? null : this.keyring.seal(JSON.stringify(options.headers)),
      metadata: {},
      retrySchedule: null,
      createdAt: new Date(),
    };
    const sealed = this.keyring.seal(secret);
    await this.database.transaction((tx) =>
      new EndpointStore(this.database).insert(tx, endpoint, { id: uuidv7(), sealed }),
    );
    return { id: endpoint.id, accountId, secret };
  }

  /** Another secret of the endpoint, live for `liveMs` (negative: expired). */
  async secret(endpointId: string, liveMs: number): Promise<string> {
    const secret = webhookSecret(randomBytes);
    await this.run(
      `INSERT INTO endpoint_secrets (id, endpoint_id, sealed, created_at, expires_at)
       VALUES ($1, $2, $3, now() - interval '1 hour', now() + $4::float8 * interval '1 millisecond')`,
      [uuidv7(), endpointId, this.keyring.seal(secret), liveMs],
    );
    return secret;
  }

  /** Writes an event with its deliveries and gives its id and text. */
  async event(accountId: string, type = 'job.completed'): Promise<{ id: string; body: string }> {
    const id = uuidv7();
    const jobId = uuidv7();
    const occurredAt = new Date();
    const body = envelope(id, type, occurredAt, { object: 'job', text: 'naïve 日本語 🎉 "quoted" \\ / <tag>' });
    await this.database.transaction((tx) =>
      this.events.record(tx, accountId, [{ event: { id, type, occurredAt, body }, subject: { jobId } }]),
    );
    return { id, body };
  }

  /** A redelivery of the event's delivery to an endpoint, due now. */
  async redelivery(eventId: string, endpointId: string): Promise<string> {
    const id = uuidv7();
    await this.run(
      `INSERT INTO deliveries (id, account_id, event_id, endpoint_id, state, next_attempt_at, redelivery_of)
       SELECT $1, account_id, event_id, endpoint_id, 'pending', now(), id FROM deliveries
       WHERE event_id = $2 AND endpoint_id = $3 AND redelivery_of IS NULL`,
      [id, eventId, endpointId],
    );
    return id;
  }

  /** The deliveries to an endpoint, oldest first. */
  async deliveries(endpointId: string): Promise<DeliveryRecord[]> {
    return this.run<DeliveryRecord>(
      `SELECT id, endpoint_id, event_id, state, attempt, uncounted, claim,
              (extract(epoch FROM next_attempt_at - now()) * 1000)::float8 AS wait_ms,
              (extract(epoch FROM lease_until - now()) * 1000)::float8 AS lease_ms,
              (SELECT coalesce(json_agg(json_build_object('number', number, 'outcome', outcome, 'status_code', status_code,
                      'duration_ms', duration_ms, 'response_body', response_body) ORDER BY number), '[]')
               FROM delivery_attempts WHERE delivery_id = deliveries.id) AS attempts
       FROM deliveries WHERE endpoint_id = $1 ORDER BY id`,
      [endpointId],
    );
  }

  /** The one delivery to an endpoint. */
  async delivery(endpointId: string): Promise<DeliveryRecord> {
    const [delivery, ...others] = await this.deliveries(endpointId);
    if (delivery === undefined || others.length > 0) throw new Error(`${others.length + 1} deliveries instead of one`);
    return delivery;
  }

  /** Lets the next attempt of every waiting delivery to an endpoint be due now. */
  async makeDue(endpointId: string): Promise<void> {
    await this.run(`UPDATE deliveries SET next_attempt_at = now() WHERE endpoint_id = $1 AND state = 'pending'`, [
      endpointId,
    ]);
  }

  /** Lets the lease of every delivery in flight to an endpoint end now, as if its sender had died long ago. */
  async endLeases(endpointId: string): Promise<void> {
    await this.run(
      `UPDATE deliveries SET lease_until = now() - interval '1 ms' WHERE endpoint_id = $1 AND state = 'delivering'`,
      [endpointId],
    );
  }
}
