import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';

/** One request as it arrived. */
export interface ReceivedRequest {
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  readonly receivedAt: Date;
  /** `performance.now()` when the body was complete. */
  readonly receivedAtMs: number;
}

/** What the receiver does with a request: answer (a bare number is a status), never answer, or cut the connection. */
export type Answer = number | AnswerDetails | 'hang' | 'reset';

export interface AnswerDetails {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
  /** Time between the request and the answer. */
  readonly delayMs?: number;
}

/** `index` counts the requests since the script was set, from 0. */
export type Script = (request: ReceivedRequest, index: number) => Answer | Promise<Answer>;

/** An HTTP server on loopback that keeps every request. Answers 200 until told otherwise. */
export class WebhookReceiver {
  readonly #requests: ReceivedRequest[] = [];
  readonly #server = createServer((request, response) => void this.#handle(request, response));
  readonly #closing = new AbortController();
  #script: Script = () => 200;
  #scripted = 0;

  /** Listens on the port, a free one when left out. */
  static async open(port = 0): Promise<WebhookReceiver> {
    const receiver = new WebhookReceiver();
    await new Promise<void>((resolve, reject) => {
      receiver.#server.once('error', reject).listen(port, '127.0.0.1', resolve);
    });
    return receiver;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}/`;
  }

  /** Sets the answers from now on: a function, or a sequence whose last answer is repeated. */
  respond(script: Script | readonly [Answer, ...Answer[]]): void {
    this.#scripted = 0;
    this.#script =
      typeof script === 'function' ? script : (_, index) => script[Math.min(index, script.length - 1)] ?? script[0];
  }

  /** The requests so far, in order of arrival, that pass the filter. */
  received(filter: (request: ReceivedRequest) => boolean = () => true): ReceivedRequest[] {
    return this.#requests.filter(filter);
  }

  /** Ends every connection, hanging ones too. */
  async close(): Promise<void> {
    this.#closing.abort();
    await new Promise<void>((resolve) => {
      this.#server.close(() => resolve());
      this.#server.closeAllConnections();
    });
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const received = await readRequest(request).catch(() => undefined);
    if (received === undefined) return;
    this.#requests.push(received);
    const answer = await this.#script(received, this.#scripted++);
    if (answer === 'hang') return;
    if (answer === 'reset') {
      request.socket.resetAndDestroy();
      return;
    }
    await this.#answer(response, typeof answer === 'number' ? { status: answer } : answer);
  }

  async #answer(response: ServerResponse, { status, headers = {}, body, delayMs }: AnswerDetails): Promise<void> {
    const isOpen =
      delayMs === undefined || (await pause(delayMs, true, { signal: this.#closing.signal }).catch(() => false));
    if (isOpen) response.writeHead(status, headers).end(body);
  }
}

async function readRequest(request: IncomingMessage): Promise<ReceivedRequest> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return {
    method: request.method ?? '',
    path: request.url ?? '',
    headers: request.headers,
    body: Buffer.concat(chunks),
    receivedAt: new Date(),
    receivedAtMs: performance.now(),
  };
}

/**
 * Checks a request as a receiver does that knows only the Standard Webhooks specification, by the reference library.
 *
 * @returns a function that gives the parsed body, or throws when the signature, the timestamp or the body is not right
 */
export function verified(secret: string): (request: ReceivedRequest) => unknown {
  const webhook = new Webhook(secret);
  return ({ body, headers }) => webhook.verify(body, headers as Record<string, string>);
}
