import { randomUUID } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { Sample } from './sample.js';

/**
 * Sends POST requests over a fixed number of connections, the next as soon as the last is answered, and prints what it measured as JSON. It
 * speaks HTTP by hand: on a small machine every cycle of the sender is taken from the server.
 */
export interface LoadOptions {
  readonly port: number;
  readonly path: string;
  readonly apiKey: string;
  readonly body: string;
  readonly keys: SentKeys;
  readonly connections: number;
  /** Requests of the first so many milliseconds are not counted. */
  readonly warmUpMs: number;
  readonly measuredMs: number;
}

/** The idempotency keys of requests: none, a new one for each, or so many of one name in turn, again and again. */
export type SentKeys = 'none' | 'fresh' | { readonly name: string; readonly count: number };

/** What a load generator prints. */
export interface LoadResult {
  /** All of them, those of the warm-up too. */
  readonly requests: number;
  /** How many of all were answered with each status. */
  readonly answers: Readonly<Record<string, number>>;
  /** How many of all were answered as repetitions. */
  readonly replayed: number;
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

interface Answer {
  readonly status: number;
  readonly isReplayed: boolean;
}

type Note = (startedAtMs: number, answer: Answer) => void;

const headEnd = '\r\n\r\n';
const replayed = /\r\nidempotent-replayed: true\r\n/i;

async function generate({ connections, warmUpMs, measuredMs, ...request }: LoadOptions): Promise<LoadResult> {
  const from = performance.now() + warmUpMs;
  const until = from + measuredMs;
  const latencies: number[] = [];
  const answers: Record<string, number> = {};
  let [requests, replays] = [0, 0];
  const note: Note = (startedAtMs, { status, isReplayed }) => {
    const now = performance.now();
    requests += 1;
    if (isReplayed) replays += 1;
    answers[status] = (answers[status] ?? 0) + 1;
    if (startedAtMs >= from && now <= until) latencies.push(now - startedAtMs);
  };
  const nextHead = headsOf(request);
  await Promise.all(Array.from({ length: connections }, () => sendUntil(until, request, nextHead, note)));
  const sample = new Sample(latencies);
  const perSecond = latencies.length / (measuredMs / 1_000);
  return { requests, answers, replayed: replays, perSecond, p50Ms: sample.median, p99Ms: sample.quantile(0.99) };
}

async function sendUntil(
  until: number,
  { port, body }: Pick<LoadOptions, 'port' | 'body'>,
  nextHead: () => string,
  note: Note,
): Promise<void> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  const answers = new AnswerReader(socket);
  while (performance.now() < until) {
    const startedAtMs = performance.now();
    socket.write(`${nextHead()}${headEnd}${body}`);
    note(startedAtMs, await answers.next());
  }
  socket.destroy();
}

/** Gives the head of one request after another, without its end. */
function headsOf({ path, apiKey, body, keys }: Pick<LoadOptions, 'path' | 'apiKey' | 'body' | 'keys'>): () => string {
  const head = [
    `POST ${path} HTTP/1.1`,
    'host: 127.0.0.1',
    `authorization: Bearer ${apiKey}`,
    'content-type: application/json',
    `content-length: ${Buffer.byteLength(body)}`,
  ].join('\r\n');
  if (keys === 'none') return () => head;
  if (keys === 'fresh') return () => `${head}\r\nidempotency-key: ${randomUUID()}`;
  let sent = 0;
  return () => `${head}\r\nidempotency-key: ${keys.name}-${sent++ % keys.count}`;
}

/** Reads one answer after another from a connection; each has a Content-Length. */
class AnswerReader {
  #received = '';
  #resolve: (answer: Answer) => void = () => undefined;
  #reject: (error: Error) => void = () => undefined;

  constructor(socket: Socket) {
    socket.setEncoding('latin1');
    socket.on('data', (text: string) => this.#take(text));
    socket.once('close', () => this.#reject(new Error('the server closed a connection')));
    socket.once('error', (error) => this.#reject(error));
  }

  next(): Promise<Answer> {
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
    const isReplayed = replayed.test(this.#received);
    this.#received = '';
    this.#resolve({ status, isReplayed });
  }
}

const options = JSON.parse(process.argv[2] ?? '') as LoadOptions;
console.log(JSON.stringify(await generate(options)));
