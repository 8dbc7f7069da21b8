import type { HistoryEntry, HistoryFact } from '../support/history.js';
import { judgeKills } from './judge-kills.js';

const endpoints = ['endpoint-1', 'endpoint-2'];
const expects = { state: 'completed', pages: 2 };

/** One job as it goes when a worker is killed once and every promise is kept. */
function kept(number: number): HistoryFact[] {
  const [jobId, eventId, key] = [`job_${number}`, `evt_${number}`, `key-${number}`];
  const told = { eventId, eventType: 'job.completed', jobId };
  return [
    { type: 'request', request: `${key}#1`, method: 'POST', path: '/v1/jobs', idempotencyKey: key, expects },
    { type: 'request', request: `${key}#2`, method: 'POST', path: '/v1/jobs', idempotencyKey: key, expects },
    { type: 'answer', request: `${key}#1`, error: 'ECONNRESET' },
    { type: 'answer', request: `${key}#2`, status: 202, jobId, isReplay: true, bodySha256: 'a' },
    { type: 'record', topic: 'events', partition: 0, offset: String(number), ...told },
    ...endpoints.map((endpoint): HistoryFact => ({ type: 'delivery', endpoint, answered: '200', ...told })),
    { type: 'job', jobId, idempotencyKey: key, state: 'completed', attempt: 2, pages: 2 },
    { type: 'output', jobId, index: 0, sha256: 's', receivedSha256: 's' },
  ];
}

const kill: HistoryFact = { type: 'kill', process: 'worker-1', pid: 1, signal: 'SIGKILL', point: 'job.at-work' };
const run: readonly HistoryFact[] = [...kept(1), ...kept(2), kill, { type: 'usage', jobs: 2 }];

function violations(
  facts: readonly HistoryFact[],
  options: { kills?: number; points?: string[] } = {},
): readonly string[] {
  const history = facts.map((fact): HistoryEntry => ({ at: 0, ...fact }));
  return judgeKills(history, { endpoints, kills: 1, points: ['job.at-work'], ...options }).violations;
}

function changed(change: (fact: HistoryFact) => HistoryFact[]): HistoryFact[] {
  return run.flatMap(change);
}

describe('judgeKills', () => {
  it('finds nothing wrong with a run that kept every promise', () => {
    expect(violations(run)).toEqual([]);
  });

  it('takes a copy of an event under the same id as what at-least-once means', () => {
    expect(violations([...run, ...run.filter(({ type }) => type === 'delivery' || type === 'record')])).toEqual([]);
  });

  it('takes what the same request is told to repeat for no violation', () => {
    const answers = ['503 unavailable', '409 idempotency_key_in_use'].map((text): HistoryFact => {
      const [status, code = ''] = text.split(' ');
      return { type: 'answer', request: 'key-1#1', status: Number(status), code };
    });
    expect(violations([...answers, ...run])).toEqual([]);
  });

  it.each<[string, RegExp, HistoryFact[]]>([
    [
      'two jobs under one key',
      /key-1 was accepted as 2 things/,
      [...run, { type: 'answer', request: 'key-1#1', status: 202, jobId: 'job_2', isReplay: true, bodySha256: 'a' }],
    ],
    [
      'two answers under one key',
      /key-1 got 2 different answers/,
      [...run, { type: 'answer', request: 'key-1#1', status: 202, jobId: 'job_1', isReplay: true, bodySha256: 'b' }],
    ],
    ['a refusal', /key-1#1 was refused: 422/, [...run, { type: 'answer', request: 'key-1#1', status: 422, code: 'x' }]],
    [
      'a failure',
      /key-1#1 was refused: 500 internal_error/,
      [...run, { type: 'answer', request: 'key-1#1', status: 500, code: 'internal_error' }],
    ],
    [
      'a refusal as another body where there is one only',
      /key-1#1 was refused: 409 idempotency_key_reused/,
      [...run, { type: 'answer', request: 'key-1#1', status: 409, code: 'idempotency_key_reused' }],
    ],
    [
      'a complaint',
      /postgres logged: duplicate key/,
      [...run, { type: 'complaint', process: 'postgres', text: 'duplicate key' }],
    ],
    [
      'a job that nobody was told of',
      /job_3 exists though no answer names it/,
      [...run, { type: 'job', jobId: 'job_3', idempotencyKey: null, state: 'completed', attempt: 1, pages: 2 }],
    ],
    [
      'a lost job',
      /job_1 was accepted and does not exist/,
      changed((fact) => (fact.type === 'job' && fact.jobId === 'job_1' ? [] : [fact])),
    ],
    [
      'a job that never ended',
      /job_1 is processing, not completed/,
      changed((fact) => (fact.type === 'job' ? [{ ...fact, state: 'processing' }] : [fact])),
    ],
    [
      'missing pages',
      /job_1 has 1 pages, not 2/,
      changed((fact) => (fact.type === 'job' ? [{ ...fact, pages: 1 }] : [fact])),
    ],
    [
      'usage counted twice',
      /3 usage records for 2 completed jobs/,
      changed((fact) => (fact.type === 'usage' ? [{ ...fact, jobs: 3 }] : [fact])),
    ],
    [
      'an event that the topic misses',
      /topic was never told the end of job_1/,
      changed((fact) => (fact.type === 'record' ? [] : [fact])),
    ],
    [
      'an event that only one endpoint got',
      /endpoint-2 was never told the end of job_1/,
      changed((fact) => (fact.type === 'delivery' && fact.endpoint === 'endpoint-2' ? [] : [fact])),
    ],
    [
      'a second event id',
      /the end of job_1 has 2 event ids/,
      changed((fact) => (fact.type === 'record' ? [fact, { ...fact, eventId: 'evt_9' }] : [fact])),
    ],
    [
      'a webhook that is not genuine',
      /endpoint-1 got evt_1 with a signature/,
      changed((fact) => (fact.type === 'delivery' ? [fact, { ...fact, answered: 'not genuine' }] : [fact])),
    ],
    [
      'an output with other bytes',
      /output 0 of job_1 has other bytes/,
      changed((fact) => (fact.type === 'output' ? [{ ...fact, receivedSha256: 'x' }] : [fact])),
    ],
    [
      'a process that ended by itself',
      /api-1 ended by itself: 1/,
      [...run, { type: 'end', process: 'api-1', pid: 1, code: 1, signal: null }],
    ],
    [
      'kills that hit nothing',
      /the kills were not real: 0 of 2/,
      changed((fact) => (fact.type === 'job' ? [{ ...fact, attempt: 1 }] : [fact])),
    ],
  ])('finds %s', (_, violation, history) => {
    expect(violations(history)).toContainEqual(expect.stringMatching(violation));
  });

  it('finds kills that were not done', () => {
    expect(violations(run, { kills: 2 })).toEqual(['1 of 2 kills were done']);
    expect(violations(run, { points: ['admission.after-commit'] })).toEqual([
      'no kill happened at: admission.after-commit',
    ]);
  });
});
