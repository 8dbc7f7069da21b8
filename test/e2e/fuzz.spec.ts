import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { routes } from '#libs/contract';
import { operationNames } from '#libs/pdf';
import fc from 'fast-check';
import type { ApiClient } from '../support/api-client.js';
import { eventually } from '../support/eventually.js';
import { samplePdf, widthsFrom } from '../support/pdf-samples.js';
import { readRaw, sendRaw } from './raw-request.js';
import { Service, startTimeoutMs } from './service.js';

const runs = Number(process.env['FUZZ_RUNS'] ?? 120);
const boundary = 'b';
/** Stands for the id of a file that is there. */
const uploaded = 'FILE';

interface Sent {
  readonly method?: string;
  readonly path: string;
  readonly headers?: readonly (readonly [name: string, value: string])[];
  readonly body?: string | Buffer;
}

/** Text as it can stand on the wire in a header: whatever a client may have put there, bytes of UTF-8 included. */
const headerText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 300 }),
  fc.string({ unit: 'grapheme', maxLength: 60 }),
  fc.constantFrom(
    '',
    ' ',
    '"',
    '"a',
    'a"',
    '""',
    '"a"b"',
    '\u0000',
    'a\r\nx-injected: 1',
    '🎉',
    'a,b',
    '<b>',
    'k'.repeat(256),
  ),
);

const pathText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 80 }).map((text) => encodeURIComponent(text.toWellFormed())),
  fc.constantFrom(
    '%',
    '%00',
    '..',
    '%2e%2e%2f',
    'job_',
    `job_${'z'.repeat(26)}`,
    'job_01h455vb4pex5vsknk084sn02q',
    'x'.repeat(900),
  ),
);

const jobLike = fc.record(
  {
    operation: fc.oneof(fc.constantFrom(...operationNames, 'shred'), fc.jsonValue()),
    inputs: fc.oneof(
      fc.array(
        fc.oneof(
          fc.record({ file_id: fc.oneof(fc.string(), fc.constant('file_01h455vb4pex5vsknk084sn02q'), fc.jsonValue()) }),
          fc.record({ job_id: fc.string(), output: fc.oneof(fc.integer(), fc.double(), fc.jsonValue()) }),
          fc.record({ part: fc.oneof(fc.integer(), fc.jsonValue()) }),
          fc.record({ file_id: fc.constant(uploaded), pages: fc.jsonValue(), password: fc.jsonValue() }),
          fc.record({ url: fc.oneof(fc.webUrl({ validSchemes: ['http', 'ftp'] }), fc.string()) }),
          fc.jsonValue(),
        ),
        { maxLength: 5 },
      ),
      fc.jsonValue(),
    ),
    options: fc.oneof(fc.record({ by: fc.jsonValue(), ranges: fc.jsonValue() }, { requiredKeys: [] }), fc.jsonValue()),
    metadata: fc.oneof(fc.dictionary(fc.string(), fc.string()), fc.jsonValue()),
    client_item_id: fc.jsonValue(),
  },
  { requiredKeys: [] },
);

const jsonText = fc.oneof(
  jobLike.map((value) => JSON.stringify(value)),
  fc.array(jobLike, { maxLength: 4 }).map((items) => JSON.stringify({ items })),
  fc.jsonValue().map((value) => JSON.stringify(value)),
  fc.tuple(jobLike, fc.nat({ max: 60 })).map(([value, cut]) => JSON.stringify(value).slice(0, -cut)),
  fc.integer({ min: 1, max: 5_000 }).map((depth) => '['.repeat(depth)),
  fc.string({ unit: 'binary' }),
);

const fieldName = fc.oneof(
  fc.constantFrom(
    'operation',
    'options',
    'metadata',
    'inputs',
    'files',
    'file',
    '../x',
    'idempotency_key',
    '__proto__',
  ),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.constant('n'.repeat(10_000)),
);

const part = fc
  .record({
    name: fieldName,
    fileName: fc.option(
      fc.oneof(fc.constantFrom('../x', '/etc/passwd', 'a\u0000.pdf', ''), fc.string({ unit: 'binary' })),
    ),
    type: fc.option(headerText),
    content: fc.oneof(fc.constant('%PDF-1.7'), jsonText, fc.string({ unit: 'binary', maxLength: 500 })),
  })
  .map(({ name, fileName, type, content }) => {
    const file = fileName === null ? '' : `; filename="${fileName}"`;
    const media = type === null ? '' : `content-type: ${type}\r\n`;
    return `--${boundary}\r\ncontent-disposition: form-data; name="${name}"${file}\r\n${media}\r\n${content}\r\n`;
  });

const multipartText = fc.oneof(
  fc.array(part, { maxLength: 6 }).map((parts) => `${parts.join('')}--${boundary}--\r\n`),
  fc
    .tuple(fc.array(part, { minLength: 1, maxLength: 4 }), fc.nat({ max: 300 }))
    .map(([parts, cut]) => parts.join('').slice(0, -cut)),
  fc.tuple(part, fc.integer({ min: 1, max: 1_200 })).map(([one, times]) => `${one.repeat(times)}--${boundary}--\r\n`),
  fc.string({ unit: 'binary', maxLength: 2_000 }),
);

const goingWith = fc.record({
  file_id: fc.constant(uploaded),
  pages: fc.oneof(fc.constantFrom('1', '1-', '-1,1'), fc.string({ unit: 'grapheme', maxLength: 10 })),
  password: fc.string({ unit: 'grapheme', maxLength: 130 }),
});

/** A job that may be accepted: few of its members are odd. */
const plausibleJob = fc.record(
  {
    operation: fc.constantFrom(...operationNames),
    inputs: fc.array(fc.oneof(fc.constant({ file_id: uploaded }), goingWith), {
      minLength: 1,
      maxLength: 2,
    }),
    options: fc.constantFrom({}, { by: 'pages' }, { by: 'ranges', ranges: ['1-', '-1'] }),
    metadata: fc.dictionary(
      fc.string({ unit: 'grapheme', maxLength: 45 }),
      fc.string({ unit: 'grapheme', maxLength: 90 }),
      { maxKeys: 3 },
    ),
  },
  { requiredKeys: ['operation', 'inputs'] },
);

describe('whatever is sent', () => {
  const rule = (title: string, check: () => Promise<void>) => it(title, check, 170_000);
  let service: Service;
  let client: ApiClient;
  let fileId: string;

  beforeAll(async () => {
    const env = { MAX_FILE_SIZE: '1MB', MAX_REQUEST_SIZE: '2MB', UPLOAD_TIMEOUT: '2s', WEBHOOK_ALLOW: '' };
    service = await Service.start({ apis: 1, dispatchers: 0, env });
    client = await service.newAccount();
    const file = { name: 'a.pdf', bytes: await samplePdf(widthsFrom(100, 2)) };
    fileId = (await client.uploadFile(file)).json<{ id: string }>().id;
  }, startTimeoutMs);

  afterAll(() => service?.stop(), 30_000);

  /** Sends it as it is and holds the answer against the rule: no 5xx, and a refusal is a problem document. */
  async function isAnswered({ method = 'POST', path, headers = [], body = '' }: Sent): Promise<number> {
    const lines = [['authorization', `Bearer ${client.apiKey}`], ...headers] as const;
    const length = Buffer.byteLength(body);
    const announced = method === 'GET' ? [] : [['content-length', String(length)] as const];
    const socket = await sendRaw(client.url, { method, path, headers: [...lines, ...announced], body });
    const { status, json } = await readRaw(socket);
    expect(status).toBeLessThan(500);
    if (status >= 400) expect(json).toMatchObject({ status, code: expect.any(String), request_id: expect.any(String) });
    return status;
  }

  async function holds<T>(value: fc.Arbitrary<T>, check: (value: T) => Promise<unknown>): Promise<void> {
    await fc.assert(
      fc.asyncProperty(value, async (given) => void (await check(given))),
      { numRuns: runs, interruptAfterTimeLimit: 150_000, markInterruptAsFailure: false },
    );
  }

  rule('as an idempotency key, once or twice, is a key or is refused (contract 1.3)', () =>
    holds(fc.array(headerText, { minLength: 1, maxLength: 2 }), (keys) =>
      isAnswered({
        path: '/v1/jobs',
        headers: [['content-type', 'application/json'], ...keys.map((key) => ['idempotency-key', key] as const)],
        body: '{"operation":"merge","inputs":[]}',
      }),
    ),
  );

  rule('in any header is answered or refused', () => {
    const name = fc.constantFrom(
      'accept',
      'prefer',
      'range',
      'if-none-match',
      'content-type',
      'expect',
      'content-encoding',
      'authorization',
      'origin',
      'transfer-encoding',
    );
    return holds(
      fc.tuple(fc.constantFrom('/v1/jobs', '/v1/batches', '/v1/files'), name, headerText),
      ([path, header, value]) => isAnswered({ path, headers: [[header, value]], body: '{}' }),
    );
  });

  rule('as JSON is a job, a batch, an endpoint or a key, or is refused (contract 6.3)', () =>
    holds(
      fc.tuple(fc.constantFrom('/v1/jobs', '/v1/batches', '/v1/webhook-endpoints', '/v1/api-keys'), jsonText),
      ([path, body]) =>
        isAnswered({ path, headers: [['content-type', 'application/json']], body: Buffer.from(body.toWellFormed()) }),
    ),
  );

  rule('as multipart is a job or a file, or is refused (contract 6.3)', () =>
    holds(fc.tuple(fc.constantFrom('/v1/jobs', '/v1/files'), multipartText), ([path, body]) =>
      isAnswered({
        path,
        headers: [['content-type', `multipart/form-data; boundary=${boundary}`]],
        body: Buffer.from(body, 'latin1'),
      }),
    ),
  );

  rule('as an id, a cursor or a value of a query is found, or is refused', () => {
    const reading = Object.values(routes).filter(({ method }) => method !== 'POST');
    const parameter = fc.constantFrom(
      'cursor',
      'after',
      'limit',
      'state',
      'operation',
      'idempotency_key',
      'created_from',
      'from',
      'to',
      'order',
      'expires',
      'signature',
      'x',
    );
    return holds(
      fc.tuple(fc.constantFrom(...reading), pathText, parameter, pathText),
      ([{ method, path }, id, name, value]) =>
        isAnswered({ method, path: `${path.replace(/:\w+/g, () => id)}?${name}=${value}` }),
    );
  });

  rule('that is nearly right is accepted or refused, under a key too (contract 6.3)', () => {
    const named = plausibleJob.chain((job) =>
      fc.string({ minLength: 1, maxLength: 3 }).map((id) => ({ ...job, client_item_id: id })),
    );
    const batch = fc
      .array(named, { minLength: 1, maxLength: 3 })
      .map((items) => ({ path: '/v1/batches', value: { items } }));
    const job = plausibleJob.map((value) => ({ path: '/v1/jobs', value }));
    const key = fc.string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 3 });
    const statuses = new Set<number>();
    return holds(fc.tuple(fc.oneof(job, batch), key), async ([{ path, value }, idempotencyKey]) => {
      const headers = [['content-type', 'application/json'] as const, ['idempotency-key', idempotencyKey] as const];
      statuses.add(await isAnswered({ path, headers, body: JSON.stringify(value).replaceAll(uploaded, fileId) }));
    }).then(() => expect([...statuses]).toEqual(expect.arrayContaining([202, 400])));
  });

  rule('leaves no row or file that the garbage collector cannot reach (contract 2.3)', async () => {
    await client.delete('/v1/files/none');
    await eventually(
      async () => {
        const kept = await service.cluster.query<{ id: string }>(
          `SELECT id FROM objects WHERE id IN (SELECT object_id FROM files UNION SELECT object_id FROM job_inputs UNION SELECT object_id FROM job_outputs)`,
        );
        const all = await service.cluster.query<{ id: string }>('SELECT id FROM objects');
        const files = await readdir(join(service.cluster.directory, 'objects'), {
          recursive: true,
          withFileTypes: true,
        });
        const stray = files.filter(
          (file) => file.isFile() && !kept.some(({ id }) => file.name.includes(id)) && isUuid(file.name),
        );
        return all.length === kept.length && stray.length === 0;
      },
      { withinMs: 30_000, everyMs: 250, describe: 'an end to all that nothing refers to' },
    );
    const orphans = await service.cluster.query(
      `SELECT FROM idempotency_keys WHERE job_id IS NULL AND batch_id IS NULL AND expires_at IS NULL`,
    );
    expect(orphans).toEqual([]);
  });
});

function isUuid(name: string): boolean {
  return /[0-9a-f]{8}-[0-9a-f]{4}/.test(name);
}
