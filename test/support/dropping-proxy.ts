import {
  Agent,
  createServer,
  type IncomingMessage,
  request as requestUpstream,
  type Server,
  type ServerResponse,
} from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';

/**
 * What becomes of a request: `pass` leaves it alone; `drop-answer` cuts the client off after the server has answered; the others cut both sides off
 * after so many bytes of the body, or of the answer.
 */
export type Fate = 'pass' | 'drop-answer' | { readonly cutBodyAt: number } | { readonly cutAnswerAt: number };

/** A request as it came by. */
export interface ProxiedRequest {
  readonly method: string;
  readonly path: string;
  /** Every raw `Idempotency-Key` line. */
  readonly keys: readonly string[];
  readonly fate: Fate;
  /** What the server answered, whether or not the client saw it. */
  status: number | null;
}

/** A proxy before one HTTP server that loses answers and breaks connections as it is told to. */
export class DroppingProxy {
  readonly requests: ProxiedRequest[] = [];
  readonly #fates: Fate[] = [];
  readonly #agent = new Agent({ keepAlive: false });

  private constructor(
    private readonly server: Server,
    private readonly upstream: URL,
    readonly url: string,
  ) {}

  static async open(upstreamUrl: string): Promise<DroppingProxy> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const proxy = new DroppingProxy(server, new URL(upstreamUrl), url);
    server.on('request', (request: IncomingMessage, response: ServerResponse) => {
      proxy.#handle(request, response).catch(() => response.destroy());
    });
    return proxy;
  }

  /** Says what becomes of the next requests; those after them pass. Forgets what came by before. */
  plan(...fates: readonly Fate[]): void {
    this.requests.splice(0);
    this.#fates.splice(0, Infinity, ...fates);
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    this.#agent.destroy();
    await new Promise<void>((resolve) => this.server.close(() => resolve()));
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const fate = this.#fates.shift() ?? 'pass';
    const seen = this.#see(request, fate);
    const { hostname, port } = this.upstream;
    const { method, url: path, rawHeaders: headers } = request;
    const upstream = requestUpstream({ hostname, port, method, path, headers, agent: this.#agent });
    upstream.on('error', () => response.destroy());
    if (typeof fate === 'object' && 'cutBodyAt' in fate) return cutBody(request, upstream, fate.cutBodyAt);
    request.pipe(upstream);
    const [answer] = (await once(upstream, 'response')) as [IncomingMessage];
    seen.status = answer.statusCode ?? null;
    if (fate === 'drop-answer') {
      await answer.toArray();
      response.destroy();
      return;
    }
    response.writeHead(answer.statusCode ?? 502, answer.rawHeaders);
    if (fate === 'pass') answer.pipe(response);
    else await cutAnswer(answer, response, fate.cutAnswerAt);
  }

  #see({ method = '', url: path = '', rawHeaders }: IncomingMessage, fate: Fate): ProxiedRequest {
    const keys = rawHeaders.filter(
      (_, index) => rawHeaders[index - 1]?.toLowerCase() === 'idempotency-key' && index % 2 === 1,
    );
    const seen: ProxiedRequest = { method, path, keys, fate, status: null };
    this.requests.push(seen);
    return seen;
  }
}

/** @throws when the body is shorter than that */
async function cutBody(
  request: IncomingMessage,
  upstream: ReturnType<typeof requestUpstream>,
  at: number,
): Promise<void> {
  let left = at;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    const part = chunk.subarray(0, left);
    await new Promise((resolve) => upstream.write(part, resolve));
    left -= part.length;
    if (left === 0) break;
  }
  upstream.destroy();
  request.socket.destroy();
  if (left > 0) throw new Error(`the body ended ${left} bytes before it was to be cut`);
}

async function cutAnswer(answer: IncomingMessage, response: ServerResponse, at: number): Promise<void> {
  let left = at;
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    const part = chunk.subarray(0, left);
    await new Promise((resolve) => response.write(part, resolve));
    left -= part.length;
    if (left === 0) break;
  }
  response.destroy();
}
