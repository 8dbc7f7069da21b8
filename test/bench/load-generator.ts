import { randomUUID } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { Sample } from './sample.js';

/**
 * Sends POST requests over a fixed number of connections, the next as soon as the last is answered, each with an idempotency key of its own, and
 * prints what it measured as JSON. It speaks HTTP by hand: on a small machine every cycle of the sender is taken from the server.
 */
export interface LoadOptions {
  readonly port: number;
  readonly path: string;
  readonly apiKey: string;
  readonly body: string;
  readonly connections: number;
  /** Requests of the first so many milliseconds are not counted. */
  readonly warmUpMs: number;
  readonly measuredMs: number;
}

/** What a load generator prints. */
export interface LoadResult {
  /** All of them, those of the warm-up too. */
  readonly requests: number;
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Answers that were not 202. */
  readonly refused: number;
}

const headEnd = '\r\n\r\n';

async function generate({ connections, warmUpMs, measuredMs, ...request }: LoadOptions): Promise<LoadResult> {
  const from = performance.now() + warmUpMs;
  const until = from + measuredMs;
  const latencies: number[] = [];
  let requests = 0;
  let refused = 0;
  const note = (startedAt: number, status: number): void => {
    const now = performance.now();
    requests += 1;
    if (status !== 202) refused += 1;
    if (startedAt >= from && now <= until) latencies.push(now - startedAt);
  };
  await Promise.all(Array.from({ length: connections }, () => sendUntil(until, request, note)));
  const sample = new Sample(latencies);
  const perSecond = latencies.length / (measuredMs / 1_000);
  return { requests, perSecond, p50Ms: sample.median, p99Ms: sample.quantile(0.99), refused };
}

async function sendUntil(
  until: number,
  request: Pick<LoadOptions, 'port' | 'path' | 'apiKey' | 'body'>,
  note: (startedAt: number, status: number) => void,
): Promise<void> {
  const socket = connect({ port: request.port, host: '127.0.0.1', noDelay: true });
  const answers = new AnswerReader(socket);
  const head = headOf(request);
  while (performance.now() < until) {
    const startedAt = performance.now();
    socket.write(`${head}idempotency-key: ${randomUUID()}${headEnd}${request.body}`);
    note(startedAt, await answers.status());
  }
  socket.destroy();
}

function headOf({ path, apiKey, body }: Pick<LoadOptions, 'path' | 'apiKey' | 'body'>): string {
  const lines = [
    `POST ${path} HTTP/1.1`,
    'host: 127.0.0.1',
    `authorization: Bearer ${apiKey}`,
    'content-type: application/json',
    `content-length: ${Buffer.byteLength(body)}`,
  ];
  return `${lines.join('\r\n')}\r\n`;
}

/** Reads one answer after another from a connection; each has a Content-Length. */
class AnswerReader {
  #received = '';
  #resolve: (status: number) => void = () => undefined;
  #reject: (error: Error) => void = () => undefined;

  constructor(socket: Socket) {
    socket.setEncoding('latin1');
    socket.on('data', (text: string) => this.#take(text));
    socket.once('close', () => this.#reject(new Error('the server closed a connection')));
    socket.once('error', (error) => this.#reject(error));
  }

  status(): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  #take(text: string): void {
    this.#received += text;
    const end = this.#received.indexOf(headEnd);
    if (end === -1) return;
    const length = Number(/content-length: (\d+)/i.exec(this.#received)?.[1]);
    if (this.#received.length < end + headEnd.length + length) return;
    const status = Number(this.#received.slice('HTTP/1.1 '.length, 'HTTP/1.1 200'.length));
    this.#received = '';
    this.#resolve(status);
  }
}

const options = JSON.parse(process.argv[2] ?? '') as LoadOptions;
console.log(JSON.stringify(await generate(options)));
