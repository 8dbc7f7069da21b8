import { createHash, randomBytes } from 'node:crypto';
import { manualClock } from '../../../../test/client/manual-clock.js';
import { type Answer, ScriptedServer } from '../../../../test/client/scripted-server.js';
import { usualLimits } from '../client-options.js';
import { RequestAbortedError } from '../errors/request-aborted-error.js';
import { Requests } from '../request/requests.js';
import { SendRequest } from '../request/send-request.js';
import { type DownloadRequest, openDownload } from './open-download.js';

describe('a download', () => {
  const content = randomBytes(300_000);
  const sha256 = createHash('sha256').update(content).digest('hex');
  const etag = `"${sha256}"`;
  const path = '/v1/jobs/job_1/outputs/0';
  const servers: ScriptedServer[] = [];
  const requests = () => servers.at(-1)?.requests ?? [];

  afterEach(async () => {
    await Promise.all(servers.splice(0).map((server) => server.close()));
  });

  /** Sends from a byte on; `cutAt` is where the connection breaks. */
  const sends =
    (from: number, cutAt = content.length, headers: Readonly<Record<string, string>> = {}): Answer =>
    async (response) => {
      const { length } = content;
      response.writeHead(from === 0 ? 200 : 206, {
        etag,
        'content-type': 'application/pdf',
        'content-length': length - from,
        ...(from === 0 ? {} : { 'content-range': `bytes ${from}-${length - 1}/${length}` }),
        ...headers,
      });
      if (cutAt === length) return void response.end(content.subarray(from));
      await new Promise((resolve) => response.write(content.subarray(from, cutAt), resolve));
      response.destroy();
    };
  /** A connection that breaks somewhere on its way to a byte, wherever the receiver is then. */
  const sendsRest =
    (cutAt?: number): Answer =>
    (response, request) => {
      const from = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0);
      return sends(from, cutAt)(response, request);
    };

  async function open(answers: readonly Answer[], change: Partial<DownloadRequest> = {}) {
    const server = await ScriptedServer.open(answers);
    servers.push(server);
    const clock = manualClock();
    const sending = new SendRequest({ url: server.url, apiKey: 'secret', fetch }, clock);
    const { signal } = change;
    const get: DownloadRequest['get'] = (headers) =>
      new Requests(sending, usualLimits).getBytes(path, headers, { signal });
    return openDownload({ path, known: null, retries: 3, signal, get, ...change }, clock);
  }

  async function read(answers: readonly Answer[], change: Partial<DownloadRequest> = {}): Promise<Buffer> {
    const { stream } = await open(answers, change);
    const pieces: Uint8Array[] = [];
    for await (const piece of stream) pieces.push(piece);
    return Buffer.concat(pieces);
  }

  it('tells type, size and hash before its first byte', async () => {
    const download = await open([sends(0)]);
    expect(download).toMatchObject({ mediaType: 'application/pdf', sizeBytes: content.length, sha256 });
    await download.stream.cancel();
  });

  it('asks for the bytes as the service has them', async () => {
    expect((await read([sends(0)])).equals(content)).toBe(true);
    expect(requests()[0]?.headers).toMatchObject({
      'accept-encoding': 'identity',
      authorization: 'Bearer secret',
    });
  });

  it('goes on where the connection broke, and only with the same document', async () => {
    expect((await read([sendsRest(100_000), sendsRest(200_000), sendsRest()])).equals(content)).toBe(true);
    const ranges = requests().map(({ headers }) => [headers.range, headers['if-range']]);
    expect(ranges).toHaveLength(3);
    expect(ranges[0]).toEqual([undefined, undefined]);
    expect(ranges.slice(1)).toEqual([
      [expect.stringMatching(/^bytes=[1-9]\d*-$/), etag],
      [expect.stringMatching(/^bytes=[1-9]\d*-$/), etag],
    ]);
  });

  it('reads over what it has when it gets the whole again', async () => {
    expect((await read([sends(0, 100_000), sends(0)])).equals(content)).toBe(true);
  });

  it('goes on through refusals that pass', async () => {
    const unavailable: Answer = (response) => void response.writeHead(503).end('{"code":"unavailable"}');
    expect((await read([sendsRest(100_000), unavailable, sendsRest()])).equals(content)).toBe(true);
  });

  it('goes on after an answer that just ends, when it knows that more was to come', async () => {
    const short: Answer = (response) =>
      void response.writeHead(200, { etag, connection: 'close' }).end(content.subarray(0, 1_000));
    const known = { sha256, sizeBytes: content.length };
    expect((await read([short, sendsRest()], { known })).equals(content)).toBe(true);
  });

  it('never ends well with bytes of two documents', async () => {
    const other: Answer = (response, request) => sends(0, undefined, { etag: '"other"' })(response, request);
    await expect(read([sends(0, 100_000), other])).rejects.toMatchObject({ name: 'IntegrityError', path });
  });

  it('never ends well when the rest begins elsewhere than asked for', async () => {
    await expect(read([sends(0, 100_000), sends(7)])).rejects.toMatchObject({ name: 'IntegrityError' });
  });

  it('never ends well when the bytes are not those of the hash', async () => {
    const flipped = Buffer.from(content);
    flipped[5] = (flipped[5] ?? 0) ^ 1;
    const wrong: Answer = (response) => void response.writeHead(200, { etag }).end(flipped);
    await expect(read([wrong])).rejects.toMatchObject({ name: 'IntegrityError' });
    const known = { sha256: 'ab'.repeat(32), sizeBytes: content.length };
    await expect(read([sends(0)], { known })).rejects.toMatchObject({ name: 'IntegrityError' });
  });

  it('is given up when connections break again and again without a byte', async () => {
    const nothing = sends(0, 0);
    await expect(read([nothing, nothing, nothing, nothing, nothing])).rejects.toMatchObject({
      name: 'ConnectionError',
      attempts: 4,
    });
    expect(requests()).toHaveLength(4);
  });

  it('is given up when there is nothing to know the document by', async () => {
    const nameless: Answer = (response, request) => sends(0, 100_000, { etag: 'W/"1"' })(response, request);
    await expect(read([nameless])).rejects.toMatchObject({ name: 'ConnectionError' });
  });

  it('is refused before its first byte when the output has expired', async () => {
    const expired: Answer = (response) => void response.writeHead(410).end('{"code":"output_expired","detail":"gone"}');
    await expect(open([expired])).rejects.toMatchObject({ name: 'RequestRefusedError', code: 'output_expired' });
  });

  it('ends when its caller wants it to', async () => {
    const controller = new AbortController();
    const { stream } = await open([sends(0)], { signal: controller.signal });
    const reader = stream.getReader();
    await reader.read();
    controller.abort('enough');
    const rest = (async () => {
      while (!(await reader.read()).done);
    })();
    await expect(rest).rejects.toBeInstanceOf(RequestAbortedError);
  });

  it('lets the connection go when its reader does not want more', async () => {
    const closed = new Promise<void>((resolve) => {
      void open([
        (response, request) => {
          response.on('close', resolve);
          return sends(0, undefined)(response, request);
        },
      ]).then(({ stream }) => stream.cancel());
    });
    await closed;
  });
});
