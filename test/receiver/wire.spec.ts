import { randomBytes } from 'node:crypto';
import {
  batchEvent,
  endpointEvent,
  type EventType,
  eventTypes,
  jobEvent,
  OutputLinks,
  pingEvent,
  SecretKeyring,
} from '#libs/domain';
import type { BatchEventData, JobEventData, WebhookEvent, WebhookEventType } from '#libs/receiver';
import type { z } from 'zod';
import type { batchSchema } from '../../libs/contract/src/resources/batch.js';
import type { jobSchema } from '../../libs/contract/src/resources/resources.js';

/** `true` when two unions have the same members; what is not the same does not compile. */
type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? true : never) : never;

type OnlyInEvents<Data> = Extract<keyof Data, `${'outputs' | 'errors' | 'jobs'}_${string}` | 'errors'>;
type JobPart = Omit<JobEventData, OnlyInEvents<JobEventData>>;
type BatchPart = Omit<BatchEventData, OnlyInEvents<BatchEventData>>;
type WireJob = Omit<z.infer<typeof jobSchema>, 'inputs' | 'state'> & { state: JobEventData['state'] };
type WireBatch = Omit<z.infer<typeof batchSchema>, 'state'> & { state: 'completed' };

const uuid = '0193a5c0-7b1e-7c3d-8a9b-0123456789ab';
const at = new Date('2026-11-30T11:01:37.135Z');
const links = new OutputLinks(
  'http://localhost',
  SecretKeyring.parse(`a:${Buffer.alloc(32, 1).toString('base64')}`, randomBytes),
);

const jobs: WebhookEvent<'job.completed'> = {
  id: 'evt_1',
  type: 'job.completed',
  timestamp: '',
  data: {
    id: 'job_1',
    object: 'job',
    operation: 'merge',
    state: 'completed',
    attempt: 1,
    idempotency_key: null,
    progress: { done: 1, total: 1, unit: 'inputs' },
    metadata: {},
    batch_id: null,
    client_item_id: null,
    created_at: '',
    started_at: null,
    finished_at: null,
    expires_at: null,
    outputs: [],
    outputs_total: 0,
    outputs_url: null,
    warnings: [],
    error: null,
  },
};

const batches: WebhookEvent<'batch.completed'> = {
  id: 'evt_1',
  type: 'batch.completed',
  timestamp: '',
  data: {
    id: 'batch_1',
    object: 'batch',
    state: 'completed',
    counts: { queued: 0, processing: 0, completed: 1, failed: 0, cancelled: 0 },
    items: 1,
    created_at: '',
    finished_at: null,
    expires_at: null,
    errors: [],
    errors_total: 0,
    jobs_url: '',
  },
};

const endpoints: WebhookEvent<'endpoint.disabled'> = {
  id: 'evt_1',
  type: 'endpoint.disabled',
  timestamp: '',
  data: {
    id: 'ep_1',
    object: 'webhook_endpoint',
    url: '',
    state: 'disabled',
    reason: 'gone',
    failing_since: null,
    sequence: 1,
  },
};

const pings: WebhookEvent<'webhook.ping'> = {
  id: 'evt_1',
  type: 'webhook.ping',
  timestamp: '',
  data: { id: 'ep_1', object: 'webhook_endpoint' },
};

describe('the types of the receiver', () => {
  it('name the events of the service and the members that its schemas have', () => {
    const areSame: readonly true[] = [
      true satisfies Same<WebhookEventType, EventType>,
      true satisfies Same<keyof WireJob, keyof JobPart>,
      true satisfies Same<keyof WireBatch, keyof BatchPart>,
    ];
    const job = (wire: WireJob): JobPart => wire;
    const batch = (wire: WireBatch): BatchPart => wire;
    expect([...areSame, job, batch]).toHaveLength(5);
    expect(eventTypes).toEqual(expect.arrayContaining([jobs.type, batches.type]));
  });

  it('have the members of the events that are sent, and no others (contract 3.3)', () => {
    const job = jobEvent(
      uuid,
      {
        id: uuid,
        operation: 'merge',
        state: 'completed',
        attempt: 1,
        idempotencyKey: null,
        progress: { done: 1, total: 1, unit: 'inputs' },
        metadata: {},
        batchId: null,
        clientItemId: null,
        createdAt: at,
        startedAt: at,
        finishedAt: at,
        expiresAt: at,
        inputs: [],
        outputs: [],
        warnings: [],
        error: null,
      },
      links,
    );
    const counts = { queued: 0, processing: 0, completed: 1, failed: 0, cancelled: 0 };
    const state = 'completed';
    const batch = batchEvent(
      uuid,
      { id: uuid, state, counts, items: 1, createdAt: at, finishedAt: at, expiresAt: at },
      [],
      links,
    );
    const endpoint = endpointEvent({
      ...{
        type: 'endpoint.disabled',
        endpointId: uuid,
        url: 'https://example.com/',
        state: 'disabled',
        reason: 'gone',
      },
      ...{ sequence: 1, failingSince: null, eventId: uuid, occurredAt: at },
    });
    for (const [{ body }, typed] of [
      [job, jobs],
      [batch, batches],
      [endpoint, endpoints],
      [pingEvent(uuid, uuid, at), pings],
    ] as const) {
      const sent = JSON.parse(body) as WebhookEvent;
      expect(Object.keys(sent).sort()).toEqual(Object.keys(typed).sort());
      expect(Object.keys(sent.data).sort()).toEqual(Object.keys(typed.data).sort());
    }
  });
});
