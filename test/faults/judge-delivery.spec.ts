import type { HistoryEntry, HistoryFact, RecordedAttempt } from '../support/history.js';
import { judgeDelivery } from './judge-delivery.js';

const marginMs = 15_000;
const endpoints = { all: ['job.*', 'batch.*'], jobs: ['job.cancelled'] };

type Arrival = Extract<HistoryFact, { type: 'arrival' }>;

interface Sent {
  readonly pid?: number;
  readonly atMs?: number;
  readonly untilMs?: number;
  readonly status?: number;
  readonly changes?: Partial<Arrival>;
}

let requests = 0;

/** One request of the delivery of an event to an endpoint, taken unless told otherwise. */
function sent(
  endpoint: string,
  event: string,
  { pid = 1, atMs = 0, untilMs = atMs + 5, status = 200, changes = {} }: Sent = {},
) {
  const request = `${endpoint}#${(requests += 1)}`;
  const arrival: Arrival = {
    ...{ type: 'arrival', request, endpoint, deliveryId: `dlv_${endpoint}_${event}`, eventId: `evt_${event}`, pid },
    ...{ isGenuine: true, bodySha256: `body of ${event}`, monotonicMs: atMs },
    ...changes,
  };
  const how = status === 0 ? 'left' : 'answered';
  return [arrival, { type: 'departure', request, how, status, monotonicMs: untilMs }] as const satisfies HistoryFact[];
}

const attempt = (number: number, outcome: string): RecordedAttempt => ({ number, claim: number, outcome });

/** What the database has of a delivery whose attempts ended so. */
function stored(endpoint: string, event: string, ...outcomes: string[]): HistoryFact {
  const attempts = outcomes.map((outcome, index) => attempt(index + 1, outcome));
  const ids = { deliveryId: `dlv_${endpoint}_${event}`, eventId: `evt_${event}` };
  return { type: 'attempts', ...ids, endpoint, state: 'delivered', attempt: attempts.length, attempts };
}

function event(name: string, detail: string): HistoryFact {
  return { type: 'stored', kind: 'event', id: `evt_${name}`, of: 'batch_1', detail, bodySha256: `body of ${name}` };
}

const accepted: readonly HistoryFact[] = [
  { type: 'request', request: 'b#1', method: 'POST', path: '/v1/batches', idempotencyKey: 'b', jobs: 1 },
  { type: 'answer', request: 'b#1', status: 202, location: '/v1/batches/batch_1' },
];

/** A batch of one job; the first sender of the job's event was killed. */
const run: readonly HistoryFact[] = [
  ...accepted,
  event('job', 'job.cancelled'),
  event('batch', 'batch.completed'),
  ...sent('all', 'job', { pid: 1, status: 0 }),
  { type: 'kill', process: 'dispatcher-1', pid: 1, signal: 'SIGKILL', point: 'delivery.after-claim', monotonicMs: 5 },
  ...sent('all', 'job', { pid: 2, atMs: 20_000 }),
  ...sent('jobs', 'job', { pid: 2 }),
  ...sent('all', 'batch', { pid: 2 }),
  stored('all', 'job', 'unknown', 'delivered'),
  stored('jobs', 'job', 'delivered'),
  stored('all', 'batch', 'delivered'),
];

function judged(facts: readonly HistoryFact[], options: { faults?: number; points?: string[] } = {}) {
  const history = facts.map((fact): HistoryEntry => ({ at: 0, ...fact }));
  return judgeDelivery(history, {
    faults: 1,
    points: ['delivery.after-claim'],
    endpoints,
    leaseMarginMs: marginMs,
    timeoutMs: 3_000,
    ...options,
  });
}

/** The run without what the database has of a delivery, or with something else in its place. */
function changed(deliveryId: string, ...others: HistoryFact[]): HistoryFact[] {
  return run.flatMap((fact) => (fact.type === 'attempts' && fact.deliveryId === deliveryId ? others : [fact]));
}

describe('judgeDelivery', () => {
  it('finds nothing wrong with a run that kept every promise, and tells the longest delay after a kill', () => {
    const { violations, figures } = judged(run);
    expect(violations).toEqual([]);
    expect(figures).toContainEqual(['longest time from a kill to the next request', '20.0 s (dlv_all_job to all)']);
  });

  it.each<[string, RegExp, HistoryFact[]]>([
    ['a lost delivery', /jobs has 0 deliveries of evt_job, not 1/, changed('dlv_jobs_job')],
    [
      'a delivery to an endpoint that does not select the event',
      /jobs has 1 deliveries of evt_batch, not 0/,
      [...run, ...sent('jobs', 'batch'), stored('jobs', 'batch', 'delivered')],
    ],
    [
      'a delivery that is stuck',
      /dlv_jobs_job to jobs is pending/,
      changed('dlv_jobs_job', {
        ...(stored('jobs', 'job', 'delivered') as Extract<HistoryFact, { type: 'attempts' }>),
        state: 'pending',
      }),
    ],
    [
      'a delivery that no receiver took',
      /dlv_jobs_job was never taken/,
      run.filter((fact) => fact.type !== 'arrival' || fact.endpoint !== 'jobs'),
    ],
    [
      'a lost event',
      /b has 0 events of jobs, not 1/,
      run.filter((fact) => fact.type !== 'stored' || fact.id !== 'evt_job'),
    ],
    ['a hole in the attempts', /numbered with holes/, changed('dlv_jobs_job', holed())],
    [
      'an attempt after the one that delivered',
      /dlv_jobs_job ends with unknown/,
      changed('dlv_jobs_job', stored('jobs', 'job', 'delivered', 'unknown')),
    ],
    [
      'more requests than attempts',
      /dlv_jobs_job was sent 2 times in 1 attempts/,
      [...run, ...sent('jobs', 'job', { atMs: 100 })],
    ],
    [
      'a bad signature',
      /is not genuine/,
      [...run, ...sent('all', 'job', { atMs: 100, changes: { isGenuine: false } })],
    ],
    [
      'another body in a duplicate',
      /has another body than evt_job/,
      [...run, ...sent('all', 'job', { atMs: 100, changes: { bodySha256: 'other' } })],
    ],
    [
      'another event id in a duplicate',
      /dlv_all_job came with another event/,
      [...run, ...sent('all', 'job', { atMs: 100, changes: { eventId: 'evt_batch' } })],
    ],
    [
      'a failure',
      /b#1 was refused: 500 internal_error/,
      [...run, { type: 'answer', request: 'b#1', status: 500, code: 'internal_error' }],
    ],
    ['a complaint', /api-1 logged: broken/, [...run, { type: 'complaint', process: 'api-1', text: 'broken' }]],
    [
      'a process that ended by itself',
      /dispatcher-1 ended by itself: 1/,
      [...run, { type: 'end', process: 'dispatcher-1', pid: 1, code: 1, signal: null }],
    ],
  ])('finds %s', (_, violation, history) => {
    expect(judged(history).violations).toContainEqual(expect.stringMatching(violation));
  });

  it('finds faults that were not done', () => {
    expect(judged(run, { faults: 2 }).violations).toEqual(['1 of 2 faults were done']);
    expect(judged(run, { points: ['delivery.after-answer'] }).violations).toEqual([
      'no kill happened at: delivery.after-answer',
    ]);
  });

  it('finds two live requests for one delivery, unless a sender was stopped past its lease', () => {
    const overlapping = (stoppedMs: number): HistoryFact[] => [
      ...run.filter((fact) => !('deliveryId' in fact) || fact.deliveryId !== 'dlv_all_batch'),
      ...sent('all', 'batch', { pid: 3, atMs: 0, untilMs: 40_000, status: 0 }),
      ...sent('all', 'batch', { pid: 2, atMs: 18_000 }),
      stored('all', 'batch', 'unknown', 'delivered'),
      { type: 'stop', process: 'dispatcher-3', pid: 3, monotonicMs: 1_000 },
      { type: 'continue', process: 'dispatcher-3', pid: 3, monotonicMs: 1_000 + stoppedMs },
    ];
    expect(judged(overlapping(20_000)).violations).toEqual([]);
    expect(judged(overlapping(20_000)).figures).toContainEqual(['two live requests for one delivery', '1']);
    for (const stoppedMs of [marginMs - 1, 1_000])
      expect(judged(overlapping(stoppedMs)).violations).toEqual([
        expect.stringMatching(/dlv_all_batch had two live requests/),
      ]);
  });
});

function holed(): HistoryFact {
  const attempts = [attempt(1, 'unknown'), attempt(3, 'delivered')];
  const ids = { deliveryId: 'dlv_jobs_job', eventId: 'evt_job', endpoint: 'jobs' };
  return { type: 'attempts', ...ids, state: 'delivered', attempt: 3, attempts };
}
