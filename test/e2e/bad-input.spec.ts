import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { JobView } from '#libs/domain';
import type { ApiAnswer, ApiClient } from '../support/api-client.js';
import { eventually } from '../support/eventually.js';
import { samplePdf, widthsFrom } from '../support/pdf-samples.js';
import { readRaw, sendRaw } from './raw-request.js';
import { Service, startTimeoutMs } from './service.js';

const maxFileBytes = 1_000_000;
const boundary = 'boundary-of-a-test';
const multipart = `multipart/form-data; boundary=${boundary}`;

describe('a bad request', () => {
  const rule = (title: string, check: () => Promise<void>) => it(title, check, 30_000);
  let service: Service;
  let client: ApiClient;
  let a: Uint8Array;

  beforeAll(async () => {
    const env = { MAX_FILE_SIZE: '1MB', MAX_REQUEST_SIZE: '2MB', UPLOAD_TIMEOUT: '2s' };
    [service, a] = await Promise.all([Service.start({ apis: 1, dispatchers: 0, env }), samplePdf(widthsFrom(100, 2))]);
    client = await service.newAccount();
  }, startTimeoutMs);

  afterAll(() => service?.stop(), 30_000);

  const file = () => ({ name: 'a.pdf', bytes: a });

  function fileForm(): FormData {
    const form = new FormData();
    form.set('file', new Blob([new Uint8Array(a)]), 'a.pdf');
    return form;
  }

  /** Every refusal: the key stays free, nothing is left that the API shows. */
  async function refused(answer: ApiAnswer, expected: string, pointer?: string): Promise<void> {
    const problem = answer.json<{ code: string; errors?: { pointer: string; detail: string }[] }>();
    expect(`${answer.status} ${problem.code}`).toBe(expected);
    expect(answer.headers.get('location')).toBeNull();
    if (pointer !== undefined) {
      expect(problem.errors?.map((error) => error.pointer)).toContain(pointer);
      expect(problem.errors?.every(({ detail }) => detail.length > 0)).toBe(true);
    }
    expect(await client.list('/v1/jobs')).toEqual([]);
  }

  rule('names an unknown operation and the ones there are (contract 6.1)', async () => {
    const answer = await client.submitFiles([file()], { operation: 'shred', key: 'k' });
    await refused(answer, '400 invalid_request', '/operation');
    expect(answer.json<{ detail: string }>().detail).toMatch(/"shred".*merge.*split/);
  });

  rule('names an unknown field, in JSON, in multipart, in options and in an input (contract 1.3, 6.1)', async () => {
    const json = { operation: 'merge', inputs: [{ file_id: 'file_x' }] };
    await refused(await client.post('/v1/jobs', { ...json, colour: 'red' }), '400 invalid_request', '/colour');
    const form = new FormData();
    form.set('operation', 'merge');
    form.set('colour', 'red');
    form.append('files', new Blob([new Uint8Array(a)]), 'a.pdf');
    await refused(await client.send('POST', '/v1/jobs', { body: form }), '400 invalid_request', '/colour');
    const options = { options: { quality: 9 } };
    await refused(await client.submitFiles([file()], options), '400 invalid_request', '/options/quality');
    const inputs = [{ file_id: 'file_x', page: '1' }];
    await refused(await client.post('/v1/jobs', { ...json, inputs }), '400 invalid_request', '/inputs/0/page');
  });

  rule('without inputs says so', async () => {
    await refused(await client.submitFiles([], { key: 'k' }), '400 invalid_request', '/inputs');
    await refused(await client.submit({ operation: 'merge', inputs: [] }), '400 invalid_request', '/inputs');
    await refused(await client.send('POST', '/v1/jobs'), '400 invalid_request');
    await refused(await client.post('/v1/jobs', []), '400 invalid_request');
  });

  rule('with an empty file names the file', async () => {
    const empty = { name: 'empty.pdf', bytes: new Uint8Array(0) };
    await refused(await client.submitFiles([file(), empty], { key: 'k' }), '400 invalid_request', '/files/1');
    await refused(await client.uploadFile(empty, { key: 'k' }), '400 invalid_request', '/file');
  });

  rule('with a range that is no range names the range (contract 6.2)', async () => {
    for (const range of ['x', '0', '1,,3', '1-2-3', '']) {
      const options = { by: 'ranges', ranges: ['1', range] };
      const answer = await client.submitFiles([file()], { operation: 'split', options, key: 'k' });
      await refused(answer, '400 invalid_request', '/options/ranges/1');
    }
    const answer = await client.submitFiles([file()], { operation: 'split', options: { by: 'chapters' } });
    await refused(answer, '400 invalid_request', '/options/by');
  });

  rule('that names what is not there, or not available, is 422 (contract 6.1)', async () => {
    const merge = (input: object) => client.submit({ operation: 'merge', inputs: [input] }, { key: 'k' });
    await refused(await merge({ file_id: 'nonsense' }), '422 input_not_found', '/inputs/0/file_id');
    await refused(await merge({ job_id: 'job_01h455vb4pex5vsknk084sn02q' }), '422 input_not_found', '/inputs/0/job_id');
    await refused(
      await client.submitFiles([file()], { inputs: [{ part: 1 }] }),
      '400 invalid_request',
      '/inputs/0/part',
    );
    const unnamed = await client.submitFiles([file(), file()], { inputs: [{ part: 0 }], key: 'k' });
    await refused(unnamed, '400 invalid_request', '/files/1');
  });

  rule(
    'with a url that is none, has credentials or leads where nobody may fetch from is 400 (contract 2.1, 6.1)',
    async () => {
      const urls = ['one.pdf', '', 'https://', 'ftp://a.example/', 'https://user@a.example/', 'https://u:p@a.example/'];
      const targets = ['http://a.example/', 'https://127.0.0.1/', 'https://2130706433/', 'https://169.254.169.254/'];
      for (const url of [...urls, ...targets, `https://a.example/${'a'.repeat(2_000)}`, 7, null]) {
        const inputs = [{ url }];
        const json = await client.post('/v1/jobs', { operation: 'merge', inputs }, { key: 'k' });
        await refused(json, '400 invalid_request', '/inputs/0/url');
        const item = { client_item_id: 'a', operation: 'merge', inputs };
        await refused(
          await client.post('/v1/batches', { items: [item] }),
          '400 invalid_request',
          '/items/0/inputs/0/url',
        );
        await refused(await client.submitFiles([], { inputs, key: 'k' }), '400 invalid_request', '/inputs/0/url');
      }
    },
  );

  rule('of a size beyond the limit is 413: one file, and the whole (contract 2.1)', async () => {
    const large = { name: 'large.pdf', bytes: Buffer.alloc(maxFileBytes + 1, 'x') };
    await refused(await client.submitFiles([large], { key: 'k' }), '413 request_too_large');
    await refused(await client.uploadFile(large, { key: 'k' }), '413 request_too_large');
    const half = { name: 'half.pdf', bytes: Buffer.alloc(maxFileBytes * 0.8, 'x') };
    await refused(await client.submitFiles([half, half, half], { key: 'k' }), '413 request_too_large');
    const text = 'x'.repeat(1_100_000);
    const json = { operation: 'merge', inputs: [], metadata: { text } };
    await refused(await client.post('/v1/jobs', json, { key: 'k' }), '413 request_too_large');
  });

  rule('with a parameter in its query, where no POST has one, says so (contract 1.3, 6.1)', async () => {
    const json = { operation: 'merge', inputs: [{ file_id: 'file_x' }] };
    for (const path of ['/v1/jobs', '/v1/batches', '/v1/webhook-endpoints'])
      for (const options of [{ key: 'k' }, {}])
        await refused(await client.post(`${path}?dry_run=1`, json, options), '400 invalid_request', 'query:dry_run');
    await refused(await client.send('POST', '/v1/files?x', { body: fileForm() }), '400 invalid_request', 'query:x');
    const path = '?idempotency_key=order-42';
    for (const answer of [await client.post(`/v1/jobs${path}`, json), await client.get(`/v1/events${path}`)]) {
      await refused(answer, '400 invalid_request', 'query:idempotency_key');
      expect(answer.json<{ detail: string }>().detail).toContain('Idempotency-Key header, not in the query');
    }
  });

  rule('for the jobs of what cannot be a key says why (contract 1.3)', async () => {
    for (const key of ['', 'a<b', 'ü', '"a', 'a'.repeat(256)]) {
      const answer = await client.get(`/v1/jobs?idempotency_key=${encodeURIComponent(key)}`);
      await refused(answer, '400 invalid_request', 'query:idempotency_key');
    }
  });

  rule('of an unknown media type is 415', async () => {
    for (const type of ['text/plain', 'application/xml', 'application/x-www-form-urlencoded']) {
      const headers = { 'content-type': type, 'idempotency-key': 'k' };
      const answer = await client.send('POST', '/v1/jobs', { headers, body: 'operation=merge' });
      await refused(answer, '415 unsupported_media_type');
    }
    await refused(await client.post('/v1/files', {}), '415 unsupported_media_type');
    const form = new FormData();
    form.set('url', service.receiver.url);
    await refused(await client.send('POST', '/v1/webhook-endpoints', { body: form }), '415 unsupported_media_type');
  });

  rule('of broken or ambiguous JSON is 400 (contract 1.5, 6.1)', async () => {
    const headers = { 'content-type': 'application/json', 'idempotency-key': 'k' };
    const bodies = [
      '{"operation":',
      '{"a":1,"a":2}',
      '{"metadata":{"n":9007199254740993}}',
      '"\\u0000"',
      '"\\ud800"',
      Buffer.from('"\xff"', 'latin1'),
    ];
    for (const body of bodies) {
      await refused(await client.send('POST', '/v1/jobs', { headers, body }), '400 invalid_json');
    }
    const form = new FormData();
    form.set('operation', 'merge');
    form.set('metadata', '{"order":');
    form.append('files', new Blob([new Uint8Array(a)]), 'a.pdf');
    await refused(await client.send('POST', '/v1/jobs', { body: form }), '400 invalid_request', '/metadata');
  });

  rule('of broken multipart is 400', async () => {
    const send = (type: string, body: string) =>
      client.send('POST', '/v1/jobs', { headers: { 'content-type': type, 'idempotency-key': 'k' }, body });
    const open = `--${boundary}\r\ncontent-disposition: form-data; name="files"; filename="a.pdf"\r\n\r\n%PDF-1.7`;
    await refused(await send('multipart/form-data', open), '400 invalid_multipart');
    await refused(await send(multipart, open), '400 invalid_multipart');
    await refused(await send(multipart, 'no part at all'), '400 invalid_multipart');
    const attachment = `--${boundary}\r\nContent-Disposition: attachment; name="files"; filename="x.pdf"\r\n\r\n%PDF-\r\n--${boundary}--\r\n`;
    await refused(await send(multipart, attachment), '400 invalid_multipart');
    const unnamed = `--${boundary}\r\ncontent-type: application/pdf\r\n\r\n%PDF\r\n--${boundary}--\r\n`;
    expect((await send(multipart, unnamed)).status).toBe(400);
    const noFile = `--${boundary}\r\ncontent-disposition: form-data; name="files"\r\n\r\ntext\r\n--${boundary}--\r\n`;
    await refused(await send(multipart, noFile), '400 invalid_request', '/files');
  });

  rule('whose names or texts are no UTF-8 is 400, so no two of them are taken for one', async () => {
    const headers = { 'content-type': multipart, 'idempotency-key': 'k' };
    const part = (head: string, content: string) =>
      `--${boundary}\r\ncontent-disposition: form-data; ${head}\r\n\r\n${content}\r\n`;
    const bodies = [
      part('name="files"; filename="\xff.pdf"', '%PDF-1.7'),
      part('name="metadata"', '{"a":"\xfe"}') + part('name="files"; filename="a.pdf"', '%PDF-1.7'),
      part('name="\xfd"', 'text'),
    ];
    for (const body of bodies) {
      const sent = Buffer.from(`${body}--${boundary}--\r\n`, 'latin1');
      await refused(await client.send('POST', '/v1/jobs', { headers, body: sent }), '400 invalid_multipart');
    }
  });

  rule('that names an output beyond any is 400, and one with a content coding is 415', async () => {
    const inputs = [{ job_id: 'job_01h455vb4pex5vsknk084sn02q', output: 2 ** 31 }];
    await refused(await client.submit({ operation: 'merge', inputs }), '400 invalid_request', '/inputs/0/output');
    const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' };
    await refused(await client.send('POST', '/v1/jobs', { headers, body: '{}' }), '415 unsupported_media_type');
  });

  rule('is told why also to a client that sends all of a large body before it reads', async () => {
    const large = Buffer.alloc(20_000_000, 'x');
    const wrongs: readonly [code: string, headers: Record<string, string>, path?: string][] = [
      ['401 unauthenticated', { authorization: 'Bearer wrong', 'content-type': multipart }],
      ['400 idempotency_key_invalid', { 'idempotency-key': '<', 'content-type': multipart }],
      ['415 unsupported_media_type', { 'content-type': 'text/plain' }],
      ['413 request_too_large', { 'content-type': 'application/json' }],
      ['413 request_too_large', { 'content-type': multipart }],
      ['404 not_found', { 'content-type': multipart }, '/v1/nothing'],
    ];
    for (const [code, own, path = '/v1/jobs'] of wrongs) {
      const headers = { authorization: `Bearer ${client.apiKey}`, connection: 'close', ...own };
      const body = Buffer.concat([
        Buffer.from(`--${boundary}\r\ncontent-disposition: form-data; name="x"; filename="x"\r\n\r\n`),
        large,
      ]);
      const socket = await sendRaw(client.url, {
        path,
        headers: { ...headers, 'content-length': String(body.length) },
        body: '',
      });
      await new Promise<void>((resolve, reject) => socket.write(body, (error) => (error ? reject(error) : resolve())));
      const answer = await readRaw(socket);
      expect(`${answer.status} ${String(answer.json['code'])}`).toBe(code);
    }
  });

  rule('to a path that is none is 404, with another method 405, and without a key of the API 401', async () => {
    expect((await client.get('/v1/nothing')).json()).toMatchObject({ status: 404, code: 'not_found' });
    const put = await client.send('PUT', '/v1/jobs');
    expect(put.json()).toMatchObject({ status: 405, code: 'method_not_allowed' });
    expect(put.headers.get('allow')).toBe('POST, GET, HEAD, OPTIONS');
    expect((await client.get('/v1/jobs/nonsense')).json()).toMatchObject({ status: 404, code: 'not_found' });
    expect((await client.get('/v1/jobs/%E0%A4%A')).status).toBe(404);
    for (const authorization of ['', 'Bearer', 'Bearer wrong', 'Basic eDp5']) {
      const answer = await client.get('/v1/jobs', { authorization });
      expect(answer.json()).toMatchObject({ status: 401, code: 'unauthenticated' });
      expect(answer.headers.get('www-authenticate')).toBe('Bearer');
    }
  });

  rule('that stops in the middle of an upload is 408, and its key stays free (contract 1.9)', async () => {
    const socket = await sendRaw(client.url, upload('stalled'));
    const answer = await readRaw(socket);
    expect(answer).toMatchObject({ status: 408, json: { code: 'request_timeout' } });
    expect(await client.list('/v1/jobs')).toEqual([]);
    const accepted = await client.submitFiles([file()], { key: 'stalled' });
    expect(accepted.status).toBe(202);
    expect(accepted.headers.get('idempotent-replayed')).toBeNull();
  });

  rule(
    'whose client disconnects in the middle of an upload leaves its key free and only an object for the collector (contract 1.4, 2.2)',
    async () => {
      const before = await objects();
      const socket = await sendRaw(client.url, upload('cut'));
      const open = await eventually(async () => (await objects()).find((name) => !before.includes(name)));
      await eventually(async () => (await files()).includes(open ?? ''), {
        describe: 'the first bytes in the storage',
      });
      socket.destroy();
      expect((await fetch(`${client.url}/healthz`)).status).toBe(200);

      const accepted = await client.submitFiles([file()], { key: 'cut' });
      expect(accepted.status).toBe(202);
      expect(accepted.headers.get('idempotent-replayed')).toBeNull();
      expect((await client.endedJob(accepted.json<JobView>().id)).state).toBe('completed');
      await eventually(async () => !(await objects()).includes(open ?? '') && !(await files()).includes(open ?? ''), {
        withinMs: 15_000,
        everyMs: 200,
        describe: 'the collection of the cut upload',
      });
      expect((await client.download(accepted.json<JobView>().id)).status).toBe(200);
    },
  );

  /** An upload that announces more than it sends. */
  function upload(key: string) {
    const part = 'content-disposition: form-data; name="files"; filename="a.pdf"\r\ncontent-type: application/pdf';
    return {
      path: '/v1/jobs',
      headers: {
        authorization: `Bearer ${client.apiKey}`,
        'content-type': multipart,
        'content-length': '500000',
        'idempotency-key': key,
      },
      body: `--${boundary}\r\n${part}\r\n\r\n${'%PDF-1.7 '.repeat(10_000)}`,
    };
  }

  /** The names of the objects that the database knows. */
  async function objects(): Promise<string[]> {
    return (await service.cluster.query<{ name: string }>('SELECT name FROM objects')).map(({ name }) => name);
  }

  /** The names of the objects whose files are there, whole or in part. */
  async function files(): Promise<string[]> {
    const root = join(service.cluster.directory, 'objects');
    const entries = await readdir(root, { recursive: true });
    return (await objects()).concat(await deleted()).filter((name) => {
      const id = name.split('/').at(-1) ?? name;
      return entries.some((entry) => entry.includes(id));
    });
  }

  async function deleted(): Promise<string[]> {
    return (await service.cluster.query<{ name: string }>('SELECT name FROM deleted_objects')).map(({ name }) => name);
  }
});
