import { manualClock } from '../../../../test/client/manual-clock.js';
import type { CallLimits, Fetch } from '../client-options.js';
import { ConnectionError } from '../errors/connection-error.js';
import { DeadlineExceededError } from '../errors/deadline-exceeded-error.js';
import { RequestAbortedError } from '../errors/request-aborted-error.js';
import { RequestRefusedError } from '../errors/request-refused-error.js';
import { UploadSourceError } from '../errors/upload-source-error.js';
import { multipartBody } from '../upload/multipart-body.js';
import type { Call } from './call.js';
import { jsonBody } from './request-body.js';
import { SendRequest } from './send-request.js';

type Step = () => Response | Promise<Response>;

interface Sent {
  readonly url: string;
  readonly headers: Headers;
  readonly init: RequestInit;
}

describe('sending a request', () => {
  const limits: CallLimits = { timeoutMs: 1_000, deadlineMs: 60_000, retries: 5 };
  const accepted: Step = () => Response.json({ id: 'job_1' }, { status: 202 });
  const refused =
    (status: number, code: string, headers: Record<string, string> = {}): Step =>
    () =>
      Response.json({ code, title: code, detail: `because ${code}` }, { status, headers });
  const dropped: Step = () => {
    throw new TypeError('fetch failed', { cause: new Error('other side closed') });
  };

  function scripted(...steps: readonly Step[]) {
    const sent: Sent[] = [];
    const clock = manualClock();
    const fetch: Fetch = async (url, init) => {
      const step = steps[sent.push({ url, headers: new Headers(init.headers), init }) - 1];
      if (step === undefined) throw new Error('the script is over');
      return Promise.race([step(), abortOf(init.signal)]);
    };
    return { sent, clock, sending: new SendRequest({ url: 'http://service/pdf', apiKey: 'secret', fetch }, clock) };
  }

  const post = (change: Partial<Call<{ id: string }>> = {}): Call<{ id: string }> => ({
    method: 'POST',
    path: '/v1/jobs',
    headers: { accept: 'application/json' },
    body: jsonBody({ operation: 'merge' }),
    idempotencyKey: 'order-42',
    read: async (response) => (await response.json()) as { id: string },
    isStreamed: false,
    limits,
    signal: undefined,
    ...change,
  });

  it('sends key, API key and body, and follows no redirect', async () => {
    const { sent, sending } = scripted(accepted);
    expect(await sending.send(post())).toEqual({
      value: { id: 'job_1' },
      isReplayed: false,
      requestId: null,
      attempts: 1,
    });
    expect(sent.map(({ url, headers }) => ({ url, ...Object.fromEntries(headers) }))).toEqual([
      {
        url: 'http://service/pdf/v1/jobs',
        accept: 'application/json',
        authorization: 'Bearer secret',
        'content-type': 'application/json',
        'idempotency-key': 'order-42',
      },
    ]);
    expect(sent[0]?.init).toMatchObject({ method: 'POST', body: '{"operation":"merge"}', redirect: 'manual' });
  });

  it('repeats the same bytes under the same key until it is answered', async () => {
    const body = { operation: 'merge' };
    const call = post({ body: jsonBody(body) });
    const { sent, clock, sending } = scripted(
      () => ((body.operation = 'split'), dropped()),
      refused(503, 'unavailable'),
      () => new Response('<html>', { status: 502 }),
      () => new Response('<html>', { status: 200 }),
      refused(409, 'idempotency_key_in_use'),
      accepted,
    );
    expect((await sending.send(call)).attempts).toBe(6);
    expect(new Set(sent.map(({ headers }) => headers.get('idempotency-key')))).toEqual(new Set(['order-42']));
    expect(new Set(sent.map(({ init }) => init.body))).toEqual(new Set(['{"operation":"merge"}']));
    expect(clock.pauses).toEqual([125, 250, 500, 1_000, 2_000]);
  });

  it('tells that the answer is one of before', async () => {
    const { sending } = scripted(() =>
      Response.json({}, { status: 202, headers: { 'idempotent-replayed': 'true', 'x-request-id': 'req_1' } }),
    );
    expect(await sending.send(post())).toMatchObject({ isReplayed: true, requestId: 'req_1' });
  });

  it.each([
    ['idempotency_key_reused', 409, 'new-key'],
    ['invalid_request', 400, 'fix'],
    ['job_finished', 409, 'never'],
    ['not_found', 404, 'never'],
  ])('never repeats what was refused with %s', async (code, status, retry) => {
    const { sent, sending } = scripted(refused(status, code, { 'x-request-id': 'req_9' }));
    const error = await sending.send(post()).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(RequestRefusedError);
    expect(error).toMatchObject({ status, code, retry, idempotencyKey: 'order-42', attempts: 1, requestId: 'req_9' });
    expect((error as Error).message).toBe(
      `POST /v1/jobs: ${status} ${code}: because ${code}, request req_9 (idempotency key order-42, 1 attempt)`,
    );
    expect(sent).toHaveLength(1);
  });

  it('waits as long as the service asks', async () => {
    const { clock, sending } = scripted(
      refused(429, 'rate_limited', { 'retry-after': '3' }),
      refused(503, 'unavailable', { 'retry-after': 'Thu, 01 Jan 1970 00:00:10 GMT' }),
      accepted,
    );
    await sending.send(post());
    expect(clock.pauses).toEqual([3_125, 10_000 - 3_125 + 250]);
  });

  it('gives the last refusal when the retries are used up', async () => {
    const { sending } = scripted(dropped, refused(503, 'unavailable'));
    await expect(sending.send(post({ limits: { ...limits, retries: 1 } }))).rejects.toMatchObject({
      name: 'RequestRefusedError',
      code: 'unavailable',
      attempts: 2,
      idempotencyKey: 'order-42',
    });
  });

  it('says what happened when there never was an answer, and under which key', async () => {
    const { sending } = scripted(dropped);
    const error = await sending.send(post({ limits: { ...limits, retries: 0 } })).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(ConnectionError);
    expect((error as Error).message).toBe(
      'POST /v1/jobs: no answer: fetch failed: other side closed (idempotency key order-42, 1 attempt)',
    );
  });

  it('gives up at once when the service asks for more time than there is', async () => {
    const { sent, sending } = scripted(refused(503, 'unavailable', { 'retry-after': '61' }));
    const error = await sending.send(post()).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(DeadlineExceededError);
    expect(error).toMatchObject({ idempotencyKey: 'order-42', cause: { code: 'unavailable' } });
    expect(sent).toHaveLength(1);
  });

  it('ends an attempt that is silent for too long, and repeats it', async () => {
    const { sending } = scripted(() => new Promise(() => undefined), accepted);
    expect((await sending.send(post({ limits: { ...limits, timeoutMs: 20 } }))).attempts).toBe(2);
  });

  it('ends an attempt at the deadline', async () => {
    const { sending } = scripted(() => new Promise(() => undefined));
    await expect(sending.send(post({ limits: { ...limits, deadlineMs: 20 } }))).rejects.toBeInstanceOf(
      DeadlineExceededError,
    );
  });

  it('ends when its caller wants it to, during an attempt and between two', async () => {
    const during = new AbortController();
    const first = scripted(() => (during.abort(new Error('enough')), new Promise(() => undefined)));
    const between = AbortSignal.abort(new Error('enough'));
    for (const failing of [
      first.sending.send(post({ signal: during.signal })),
      scripted(dropped).sending.send(post({ signal: between })),
    ]) {
      const error = await failing.catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(RequestAbortedError);
      expect(error).toMatchObject({ name: 'AbortError', idempotencyKey: 'order-42', cause: { message: 'enough' } });
    }
  });

  it('takes a stream that can be read once only where retries are off', async () => {
    async function* pieces() {
      yield new Uint8Array(3);
    }
    const part = { name: 'file', fileName: 'a.pdf', mediaType: 'application/pdf', source: { stream: pieces() } };
    const body = multipartBody([], [part], 'x');
    const { sent, sending } = scripted(accepted);
    await expect(sending.send(post({ body }))).rejects.toBeInstanceOf(UploadSourceError);
    expect(sent).toHaveLength(0);
    await sending.send(post({ body, limits: { ...limits, retries: 0 } }));
    expect(sent).toHaveLength(1);
  });

  it('never repeats what cannot be read', async () => {
    const source = { path: '/there/is/no/such/file.pdf' };
    const body = multipartBody([], [{ name: 'file', fileName: 'a', mediaType: 'b/c', source }], 'x');
    const { sent, sending } = scripted(accepted);
    const error = await sending.send(post({ body })).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(UploadSourceError);
    expect(error).toMatchObject({ idempotencyKey: 'order-42', cause: { code: 'ENOENT' } });
    expect(sent).toHaveLength(0);
  });

  it.each(['a\r\nb', 'order-\u{1F600}', 'caf\u00e9'])('never sends a key that no header can have: %j', async (key) => {
    const { sent, sending } = scripted(accepted);
    const refused = { name: 'TypeError', message: expect.stringMatching(/^the idempotency key ".*printable ASCII/) };
    await expect(sending.send(post({ idempotencyKey: key }))).rejects.toMatchObject(refused);
    expect(sent).toHaveLength(0);
  });
});

function abortOf(signal: AbortSignal | null | undefined): Promise<never> {
  return new Promise((_, reject) => {
    if (signal?.aborted === true) reject(signal.reason as Error);
    signal?.addEventListener('abort', () => reject(signal.reason as Error));
  });
}
