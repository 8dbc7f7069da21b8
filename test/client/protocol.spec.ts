import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import {
  ConnectionError,
  type ClientOptions,
  PdfonceClient,
  RequestRefusedError,
  UploadSourceError,
} from '#libs/client';
import { eventually } from '../support/eventually.js';
import { type Answer, ScriptedServer } from './scripted-server.js';

describe('the client before a server that refuses', () => {
  const job = { operation: 'merge', inputs: [{ file_id: 'file_1' }] };
  const accept: Answer = (response) => void response.writeHead(202).end('{"id":"job_1"}');
  const refuse =
    (status: number, code: string, headers: Readonly<Record<string, string>> = {}): Answer =>
    (response) =>
      void response.writeHead(status, headers).end(JSON.stringify({ status, code, title: code, detail: code }));
  let server: ScriptedServer;

  afterEach(() => server.close());

  async function clientOf(answers: readonly Answer[], options: Partial<ClientOptions> = {}) {
    server = await ScriptedServer.open(answers);
    return new PdfonceClient({ url: server.url, apiKey: 'secret', ...options });
  }

  it.each([
    ['503 unavailable', 503, 'unavailable'],
    ['429 rate_limited', 429, 'rate_limited'],
  ])('comes back after Retry-After of %s, not before, with its one key', async (_, status, code) => {
    const client = await clientOf([refuse(status, code, { 'retry-after': '1' }), accept]);
    const startedAt = performance.now();
    const { idempotencyKey, attempts } = await client.jobs.create(job);
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(995);
    expect(attempts).toBe(2);
    expect(server.requests.map(({ headers }) => headers['idempotency-key'])).toEqual([idempotencyKey, idempotencyKey]);
    expect(new Set(server.requests.map(({ body }) => body.toString()))).toEqual(new Set([JSON.stringify(job)]));
  });

  it('comes back to a connection that broke, to a page of a proxy and to an answer that broke off', async () => {
    const client = await clientOf([
      (response) => void response.destroy(),
      (response) => void response.writeHead(502).end('<html>Bad Gateway</html>'),
      (response) => void response.writeHead(202, { 'content-length': 100 }).write('{"id":', () => response.destroy()),
      accept,
    ]);
    const { value, attempts, idempotencyKey } = await client.jobs.create(job);
    expect([value.id, attempts]).toEqual(['job_1', 4]);
    expect(new Set(server.requests.map(({ headers }) => headers['idempotency-key']))).toEqual(
      new Set([idempotencyKey]),
    );
  });

  it('follows no redirect and never tells another server its API key', async () => {
    const client = await clientOf([(response) => void response.writeHead(307, { location: '/elsewhere' }).end()]);
    await expect(client.jobs.create(job)).rejects.toMatchObject({ name: 'RequestRefusedError', status: 307 });
    expect(server.requests).toHaveLength(1);
  });

  it('sends a body whose size is known with its length, and one whose size is not without', async () => {
    const client = await clientOf([accept, accept]);
    const content = new Uint8Array(100_000);
    await client.files.upload({ content });
    await client.files.upload({ content: { open: () => new Blob([content]).stream() } });
    const [known, unknown] = server.requests;
    expect(known?.headers['content-length']).toBe(String(known?.body.length));
    expect(unknown?.headers['transfer-encoding']).toBe('chunked');
    expect(unknown?.body.length).toBe(known?.body.length);
  });

  it('stops at a source that breaks, without another attempt', async () => {
    const client = await clientOf([accept, accept]);
    const broken = async function* () {
      yield new Uint8Array(100_000);
      throw new Error('the disk is gone');
    };
    const error = await client.files.upload({ content: { open: broken } }).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(UploadSourceError);
    expect(error).toMatchObject({ message: expect.stringContaining('the disk is gone') });
    expect(server.requests).toHaveLength(0);
  });
});

describe('the client before a server that does not read', () => {
  let server: Server | undefined;
  const sockets: Socket[] = [];

  afterEach(() => {
    sockets.splice(0).forEach((socket) => socket.destroy());
    server?.close();
  });

  async function clientOf(onConnection: (socket: Socket) => void, options: Partial<ClientOptions> = {}) {
    const opened = createServer((socket) => {
      sockets.push(socket.on('error', () => undefined));
      onConnection(socket);
    });
    server = opened;
    await new Promise<void>((resolve) => opened.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(opened.address() as AddressInfo).port}`;
    return new PdfonceClient({ url, apiKey: 'secret', ...options });
  }

  it('holds no more of an upload than goes into the connection, and gives up after the silence', async () => {
    const client = await clientOf((socket) => socket.pause(), { timeoutMs: 500, retries: 0 });
    let readBytes = 0;
    let isClosed = false;
    const endless = async function* () {
      try {
        for (;;) {
          readBytes += 65_536;
          yield new Uint8Array(65_536);
        }
      } finally {
        isClosed = true;
      }
    };
    await expect(client.files.upload({ content: { open: endless } })).rejects.toBeInstanceOf(ConnectionError);
    await eventually(() => isClosed, { describe: 'the end of the source' });
    expect(readBytes).toBeLessThan(16_000_000);
  });

  it('reads a refusal that comes while it still sends', async () => {
    const body = '{"code":"request_too_large","detail":"too large"}';
    const head = `HTTP/1.1 413 Content Too Large\r\ncontent-length: ${body.length}\r\nconnection: close\r\n\r\n`;
    const client = await clientOf((socket) => socket.once('data', () => socket.write(head + body)));
    const upload = client.files.upload({ content: new Uint8Array(50_000_000) });
    await expect(upload).rejects.toBeInstanceOf(RequestRefusedError);
    await expect(upload).rejects.toMatchObject({ code: 'request_too_large', attempts: 1 });
  });
});
