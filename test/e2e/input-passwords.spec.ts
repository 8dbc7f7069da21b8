import { randomBytes } from 'node:crypto';
import { type JobView, SecretKeyring, uuidOf } from '#libs/domain';
import type { ApiClient, JsonJob } from '../support/api-client.js';
import { eventually } from '../support/eventually.js';
import { encryptedPdf, pageWidths, samplePdf } from '../support/pdf-samples.js';
import { Service, startTimeoutMs } from './service.js';

/** Nothing that a process or a library would write by itself. */
const password = 'Sesam öffne dich 4711';
const lostKeyring = SecretKeyring.parse(`lost:${Buffer.alloc(32, 9).toString('base64')}`, randomBytes);

let service: Service;
let client: ApiClient;
let pdf: Uint8Array;
let fileId: string;

beforeAll(async () => {
  [service, pdf] = await Promise.all([
    Service.start({ apis: 1, env: { JOB_MAX_ATTEMPTS: '2' } }),
    samplePdf([100, 101]),
  ]);
  client = await service.newAccount();
  fileId = idOf(await client.uploadFile({ name: 'one.pdf', bytes: pdf }));
  await client.createEndpoint({ url: service.receiver.url });
}, startTimeoutMs);

afterAll(() => service?.stop(), 30_000);

function rule(title: string, check: () => Promise<void>): void {
  it(title, check, 60_000);
}

function idOf(answer: { readonly status: number; json<T>(): T }): string {
  expect([201, 202]).toContain(answer.status);
  return answer.json<{ id: string }>().id;
}

function problemsOf(answer: { readonly status: number; json<T>(): T }): { pointer: string; detail: string }[] {
  expect(answer.status).toBe(400);
  return answer.json<{ errors: { pointer: string; detail: string }[] }>().errors;
}

function merge(...inputs: readonly object[]): JsonJob {
  return { operation: 'merge', inputs };
}

const file = (name: string) => ({ name, bytes: pdf });

/** Lets nothing be claimed meanwhile. */
async function whileWorkerStands(work: () => Promise<void>): Promise<void> {
  const worker = service.cluster.process('worker-1');
  worker.kill('SIGSTOP');
  try {
    await work();
  } finally {
    worker.kill('SIGCONT');
  }
}

/** Every row of every table as text, bytes in hexadecimal. */
async function everyRow(): Promise<string> {
  const tables = await service.cluster.query<{ name: string }>(
    `SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public' AND table_type = 'BASE TABLE'`,
  );
  expect(tables.length).toBeGreaterThan(15);
  const rows = await Promise.all(
    tables.map(({ name }) => service.cluster.query<{ row: string }>(`SELECT t::text AS row FROM ${name} AS t`)),
  );
  return rows
    .flat()
    .map(({ row }) => row)
    .join('\n');
}

function expectNoPassword(text: string): void {
  for (const form of [password, JSON.stringify(password).slice(1, -1), encodeURIComponent(password)])
    expect(text.includes(form)).toBe(false);
  for (const encoding of ['hex', 'base64', 'base64url'] as const)
    expect(text.includes(Buffer.from(password).toString(encoding).replaceAll('=', ''))).toBe(false);
}

async function sealedPasswords(): Promise<string[]> {
  const rows = await service.cluster.query<{ sealed: string }>(
    'SELECT sealed_password AS sealed FROM job_inputs WHERE sealed_password IS NOT NULL',
  );
  return rows.map(({ sealed }) => sealed);
}

/** What every process has written, and what was sent to the endpoint. */
function toldElsewhere(): string {
  const processes = ['api-1', 'worker-1', 'dispatcher-1'].flatMap((name) => service.cluster.process(name).logs);
  const webhooks = service.receiver.received().map(({ body }) => body.toString());
  return [...processes.map(({ text }) => text), ...webhooks].join('\n');
}

async function everyAnswerAbout(jobId: string): Promise<string> {
  const paths = [`/v1/jobs/${jobId}`, `/v1/jobs/${jobId}/history`, '/v1/jobs?limit=100', '/v1/events?limit=100'];
  const answers = await Promise.all(paths.map((path) => client.get(path)));
  return answers.map(({ body }) => body.toString('utf8')).join('\n');
}

describe('the pages of an input', () => {
  rule('go with it in JSON, in multipart and in batches (contract 2.1)', async () => {
    const json = idOf(await client.submit(merge({ file_id: fileId, pages: '2,1' }, { file_id: fileId })));
    const inputs = [{ part: 1, pages: '-1' }, { file_id: fileId }, { part: 0, pages: '1-' }];
    const multipart = idOf(await client.submitFiles([file('a.pdf'), file('b.pdf')], { inputs }));
    const item = { client_item_id: 'a', ...merge({ job_id: json, output: 0, pages: '1-2' }) };
    const batch = idOf(await client.post('/v1/batches', { items: [item] }));
    for (const id of [json, multipart]) expect(await client.endedJob(id)).toMatchObject({ state: 'completed' });
    await eventually(async () => (await client.get(`/v1/batches/${batch}`)).json()['state'] === 'completed');
    const [inBatch] = await client.list<JobView>(`/v1/batches/${batch}/jobs`);
    const widths = async (id = '') => pageWidths((await client.download(id)).body);
    expect(await widths(json)).toEqual([101, 100, 100, 101]);
    expect(await widths(multipart)).toEqual([101, 100, 101, 100, 101]);
    expect(await widths(inBatch?.id)).toEqual([101, 100]);
    const rows = await service.cluster.query<{ pages: string[] }>(
      `SELECT array_agg(pages ORDER BY index) AS pages FROM job_inputs JOIN jobs ON jobs.id = job_id GROUP BY jobs.id ORDER BY jobs.id`,
    );
    expect(rows.map(({ pages }) => pages)).toEqual([['2,1', null], ['-1', null, '1-'], ['1-2']]);
  });

  rule('that are no selection are refused where they stand, and the key stays free (contract 6.1)', async () => {
    const wrong = expect.stringContaining('is no selection of pages: write 3, 1-3, 4- (to the end)') as string;
    const refused = await client.submit(merge({ file_id: fileId, pages: 'odd' }), { key: 'pages' });
    expect(problemsOf(refused)).toEqual([{ pointer: '/inputs/0/pages', detail: wrong }]);
    const inputs = [{ part: 0 }, { file_id: fileId, pages: '1-3;5' }];
    expect(problemsOf(await client.submitFiles([file('a.pdf')], { inputs }))).toEqual([
      { pointer: '/inputs/1/pages', detail: wrong },
    ]);
    const items = [
      { client_item_id: 'a', ...merge({ file_id: fileId }) },
      { client_item_id: 'b', ...merge({ file_id: fileId }, { file_id: fileId, pages: '' }) },
      { client_item_id: 'c', operation: 'split', inputs: [{ file_id: fileId, pages: '1' }] },
    ];
    expect(problemsOf(await client.post('/v1/batches', { items }))).toEqual([
      { pointer: '/items/1/inputs/1/pages', detail: wrong },
      { pointer: '/items/2/inputs/0/pages', detail: expect.stringContaining('its option ranges says which') },
    ]);
    idOf(await client.submit(merge({ file_id: fileId, pages: '1' }), { key: 'pages' }));
  });
});

describe('the password of an input', () => {
  rule('is kept sealed until its job ends, however it does, and is shown nowhere (contract 4.1)', async () => {
    const locked = { file_id: fileId, password };
    const jobs: string[] = [];
    let batch = '';
    await whileWorkerStands(async () => {
      const submitted = [
        await client.submit(merge(locked, locked), { key: 'locked' }),
        await client.submitFiles([file('a.pdf')], { inputs: [{ part: 0, password, pages: '1' }], key: 'part' }),
        await client.submitFiles([{ name: 'no.pdf', bytes: Buffer.from('no') }], { inputs: [{ part: 0, password }] }),
        await client.submit(merge({ url: 'https://a.invalid/', password })),
        await client.submit(merge(locked)),
      ];
      jobs.push(...submitted.map(idOf));
      const cancelled = jobs[4] ?? '';
      const dependent = await client.submit(merge({ job_id: cancelled, password }));
      jobs.push(idOf(dependent));
      const items = ['a', 'b'].map((name) => ({ client_item_id: name, ...merge(locked) }));
      const accepted = await client.post('/v1/batches', { items }, { key: 'batch' });
      batch = idOf(accepted);
      for (const answer of [...submitted, dependent, accepted]) expectNoPassword(answer.body.toString('utf8'));
      const sealed = await sealedPasswords();
      expect(sealed).toHaveLength(9);
      for (const value of sealed) expect(value).toMatch(/^k1\.[\w-]+\.[\w-]+\.[\w-]+$/);
      expect(new Set(sealed).size).toBe(9);
      expectNoPassword(await everyRow());
      expect((await client.post(`/v1/jobs/${cancelled}/cancel`, undefined)).status).toBe(200);
      expect((await client.post(`/v1/batches/${batch}/cancel`, undefined)).status).toBe(200);
      expect(await sealedPasswords()).toHaveLength(6);
    });
    const states: string[] = [];
    for (const id of jobs) {
      const { state, error } = await client.endedJob(id, 30_000);
      states.push(error?.code ?? state);
      expectNoPassword(await everyAnswerAbout(id));
    }
    expect(states).toEqual([
      ...['completed', 'completed', 'not_a_pdf', 'input_unreachable', 'cancelled', 'input_failed'],
    ]);
    expect(await sealedPasswords()).toEqual([]);
    await eventually(() => jobs.every((id) => service.receiver.received().some(({ body }) => body.includes(id))));
    expectNoPassword(await everyRow());
    expectNoPassword(toldElsewhere());
  });

  rule('is a part of the request: the same replays, another is refused with 409 (contract 1.5)', async () => {
    const ask = (word: string) => client.submit(merge({ file_id: fileId, password: word }), { key: 'same' });
    const first = await ask(password);
    const again = await ask(password);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect(again.body).toEqual(first.body);
    const other = await ask(`${password}!`);
    expect([other.status, other.json()['code']]).toEqual([409, 'idempotency_key_reused']);
    expect(other.json()['detail']).toMatch(/everything that is sent counts, .*passwords of inputs included/);
    const inputs = [{ part: 0, password }];
    const upload = (sent: readonly object[]) => client.submitFiles([file('a.pdf')], { inputs: sent, key: 'same part' });
    idOf(await upload(inputs));
    expect((await upload(inputs)).headers.get('idempotent-replayed')).toBe('true');
    expect((await upload([{ part: 0 }])).status).toBe(409);
  });

  rule('has 1 to 127 bytes in UTF-8, and a refusal does not show it (contract 6.1)', async () => {
    idOf(await client.submit(merge({ file_id: fileId, password: 'ö'.repeat(63) + 'x' })));
    for (const [word, sentence] of [
      [password.repeat(10), 'must have at most 127 bytes in UTF-8'],
      ['', 'must have at least 1 character'],
      [7, 'must be a string, not a number'],
    ]) {
      const refused = await client.submit(merge({ file_id: fileId, password: word }));
      expect(problemsOf(refused)).toEqual([{ pointer: '/inputs/0/password', detail: sentence }]);
      expectNoPassword(refused.body.toString('utf8'));
    }
    const headers = { 'content-type': 'application/json' };
    const cut = await client.send('POST', '/v1/jobs', { headers, body: `{"inputs":[{"password":"${password}"]}` });
    expect(cut.status).toBe(400);
    expectNoPassword(cut.body.toString('utf8'));
  });

  rule('that no key opens any more breaks each attempt, until they are spent (contract 2.5)', async () => {
    let id = '';
    await whileWorkerStands(async () => {
      id = idOf(await client.submit(merge({ file_id: fileId, password })));
      await service.cluster.query('UPDATE job_inputs SET sealed_password = $2 WHERE job_id = $1', [
        uuidOf('job', id),
        lostKeyring.seal(password),
      ]);
    });
    const job: JobView = await client.endedJob(id);
    expect(job).toMatchObject({ state: 'failed', attempt: 2, error: { code: 'attempts_exhausted', retryable: true } });
    const told = service.cluster
      .process('worker-1')
      .logs.filter(({ fields }) => fields?.['msg'] === 'job.password-not-opened' && fields['jobId'] === id);
    expect(told).toMatchObject(Array(2).fill({ fields: { level: 50, jobId: id } }));
    const kept = 'SELECT FROM job_inputs WHERE job_id = $1 AND sealed_password IS NOT NULL';
    expect(await service.cluster.query(kept, [uuidOf('job', id)])).toEqual([]);
    expect(told[0]?.text).toContain('no secret key has the id lost');
  });
});

describe('an encrypted input', () => {
  rule('is opened by the password that was sent with it, and by no other (contract 2.1, 2.5)', async () => {
    const locked = { name: 'locked.pdf', bytes: await encryptedPdf(password, 'owner') };
    const lockedId = idOf(await client.uploadFile(locked));
    const ended = async (input: object) =>
      client.endedJob(idOf(await client.submit(merge(input, { file_id: fileId }))));
    for (const right of [password, 'owner']) {
      const opened = await ended({ file_id: lockedId, password: right, pages: '-1' });
      expect(opened).toMatchObject({ state: 'completed', attempt: 1 });
    }
    expect(await ended({ file_id: lockedId })).toMatchObject({ error: { code: 'password_required', input: 0 } });
    const wrong = await ended({ file_id: lockedId, password: `${password}!` });
    expect(wrong).toMatchObject({ attempt: 1, error: { code: 'password_invalid', retryable: false, input: 0 } });
    expectNoPassword(JSON.stringify(wrong));
    expectNoPassword(toldElsewhere());
  });
});

describe('an input that is no document', () => {
  rule('is taken as a part or a file with the media type that it was sent with (contract 2.1)', async () => {
    const image = { name: 'logo.png', bytes: Buffer.from('\x89PNG', 'latin1'), type: 'image/png' };
    const font = { name: 'font.ttf', bytes: Buffer.from('\0\x01', 'latin1'), type: 'font/ttf' };
    const uploaded = (await client.uploadFile(image)).json();
    expect(uploaded).toMatchObject({ name: 'logo.png', media_type: 'image/png' });
    const inputs = [{ part: 0 }, { part: 1 }, { file_id: uploaded['id'] }];
    const job = (await client.submitFiles([file('a.pdf'), font], { inputs })).json<JobView>();
    expect(job.inputs.map((input) => input.media_type)).toEqual(['application/pdf', 'font/ttf', 'image/png']);
  });
});
