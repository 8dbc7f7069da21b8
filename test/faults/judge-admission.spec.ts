import type { HistoryEntry, HistoryFact } from '../support/history.js';
import { judgeAdmission } from './judge-admission.js';

type Stored = Extract<HistoryFact, { type: 'stored' }>;

const stored = (row: Omit<Stored, 'type'>): Stored => ({ type: 'stored', ...row });

/** What a job leaves in the database when it completed. */
function job(id: string, idempotencyKey: string, of?: string): HistoryFact[] {
  return [
    stored({ kind: 'job', id, idempotencyKey, payload: 'a', detail: 'completed', ...(of === undefined ? {} : { of }) }),
    stored({ kind: 'command', id: `evt_command_${id}`, of: id }),
    stored({ kind: 'event', id: `evt_${id}`, of: id, detail: 'job.completed' }),
    stored({ kind: 'usage', id, of: id }),
  ];
}

/** One key whose first request was cut off, whose second was accepted, and under which another body was sent. */
function kept(path: string, key: string, id: string, jobs: number): HistoryFact[] {
  const asked = { type: 'request', method: 'POST', path, idempotencyKey: key, jobs } as const;
  const location = `${path}/${id}`;
  return [
    { ...asked, request: `${key}#1`, payload: 'a' },
    { type: 'answer', request: `${key}#1`, error: 'ECONNRESET' },
    { ...asked, request: `${key}#2`, payload: 'a' },
    { type: 'answer', request: `${key}#2`, status: 202, isReplay: true, bodySha256: key, location },
    { ...asked, request: `${key}#3`, payload: 'b' },
    { type: 'answer', request: `${key}#3`, status: 409, code: 'idempotency_key_reused' },
    stored({ kind: 'key', id: location, idempotencyKey: key, detail: key }),
  ];
}

const run: readonly HistoryFact[] = [
  { type: 'ready', process: 'api-1', pid: 1 },
  { type: 'kill', process: 'api-2', pid: 2, signal: 'SIGKILL', point: 'admission.after-commit' },
  ...kept('/v1/jobs', 'single', 'job_1', 1),
  ...job('job_1', 'single'),
  ...kept('/v1/batches', 'batch', 'batch_1', 2),
  stored({ kind: 'batch', id: 'batch_1', detail: 'completed' }),
  stored({ kind: 'event', id: 'evt_batch_1', of: 'batch_1', detail: 'batch.completed' }),
  ...job('job_2', 'batch', 'batch_1'),
  ...job('job_3', 'batch', 'batch_1'),
  ...kept('/v1/files', 'file', 'file_1', 0),
  stored({ kind: 'file', id: 'file_1', idempotencyKey: 'file', payload: 'a' }),
  ...kept('/v1/webhook-endpoints', 'endpoint', 'ep_1', 0),
  stored({ kind: 'endpoint', id: 'ep_1', idempotencyKey: 'endpoint', payload: 'a' }),
];

function violations(facts: readonly HistoryFact[], options: { faults?: number; points?: string[] } = {}) {
  const history = facts.map((fact): HistoryEntry => ({ at: 0, ...fact }));
  return judgeAdmission(history, { faults: 1, points: ['admission.after-commit'], ...options }).violations;
}

/** The run without the rows that fit, or with others in their place. */
function changed(fits: (row: Stored) => boolean, ...others: HistoryFact[]): HistoryFact[] {
  return run.flatMap((fact) => (fact.type === 'stored' && fits(fact) ? others : [fact]));
}

const isRow = (kind: Stored['kind'], id: string) => (row: Stored) => row.kind === kind && row.id === id;

describe('judgeAdmission', () => {
  it('finds nothing wrong with a run that kept every promise', () => {
    expect(violations(run)).toEqual([]);
  });

  it.each<[string, RegExp, HistoryFact[]]>([
    ['a second job under a key', /single has 2 job rows/, [...run, ...job('job_9', 'single')]],
    ['a lost job', /batch has 1 jobs, not 2/, changed(isRow('job', 'job_3'))],
    [
      'a job of the body that was refused',
      /job_1 of single has the body that was refused/,
      changed(
        isRow('job', 'job_1'),
        stored({ kind: 'job', id: 'job_1', idempotencyKey: 'single', payload: 'b', detail: 'completed' }),
      ),
    ],
    ['a file that nobody asked for', /the file file_9 exists/, [...run, stored({ kind: 'file', id: 'file_9' })]],
    [
      'an empty batch',
      /the batch batch_9 exists/,
      [...run, stored({ kind: 'batch', id: 'batch_9', detail: 'completed' })],
    ],
    ['an event of nothing', /a event of job_9/, [...run, stored({ kind: 'event', id: 'evt_9', of: 'job_9' })]],
    ['a lost command', /job_1 has 0 command rows/, changed(isRow('command', 'evt_command_job_1'))],
    ['a second end', /job_2 has 2 event rows/, [...run, stored({ kind: 'event', id: 'evt_9', of: 'job_2' })]],
    ['a lost end of a batch', /batch_1 has 0 event rows/, changed(isRow('event', 'evt_batch_1'))],
    ['usage that was not counted', /job_1 has 0 usage rows/, changed(isRow('usage', 'job_1'))],
    ['a lost record', /endpoint has 0 records/, changed(isRow('key', '/v1/webhook-endpoints/ep_1'))],
    [
      'a record of something else',
      /the record of file names \/v1\/files\/file_9, not \/v1\/files\/file_1/,
      changed(
        isRow('key', '/v1/files/file_1'),
        stored({ kind: 'key', id: '/v1/files/file_9', idempotencyKey: 'file', detail: 'file' }),
      ),
    ],
    [
      'a refusal of the body that was accepted',
      /single#2 was refused: 409 idempotency_key_reused/,
      [...run, { type: 'answer', request: 'single#2', status: 409, code: 'idempotency_key_reused' }],
    ],
    [
      'a failure',
      /single#1 was refused: 500 internal_error/,
      [...run, { type: 'answer', request: 'single#1', status: 500, code: 'internal_error' }],
    ],
    [
      'two bodies that were accepted',
      /file was accepted with 2 bodies/,
      [...run, { type: 'answer', request: 'file#3', status: 202, isReplay: true, bodySha256: 'file' }],
    ],
    [
      'a complaint',
      /postgres logged: duplicate key/,
      [...run, { type: 'complaint', process: 'postgres', text: 'duplicate key' }],
    ],
    [
      'a process that ended by itself',
      /api-1 ended by itself: 1/,
      [...run, { type: 'end', process: 'api-1', pid: 1, code: 1, signal: null }],
    ],
  ])('finds %s', (_, violation, history) => {
    expect(violations(history)).toContainEqual(expect.stringMatching(violation));
  });

  it('finds faults that were not done', () => {
    expect(violations(run, { faults: 2 })).toEqual(['1 of 2 faults were done']);
    expect(violations(run, { points: ['admission.before-statement'] })).toEqual([
      'no kill happened at: admission.before-statement',
    ]);
  });

  it('finds a key that was stuck for more than 3 s', () => {
    const waiting = run.map((fact): HistoryEntry => {
      const isLate = fact.type === 'answer' && fact.request === 'single#2';
      return { at: isLate ? 3_001 : 0, ...fact };
    });
    const { violations } = judgeAdmission(waiting, { faults: 1, points: [] });
    expect(violations).toEqual(['single was stuck for 3001 ms']);
  });
});
