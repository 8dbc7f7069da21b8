import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request as it arrived, its body read. */
export interface ArrivedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}

/** What the server does with one request. */
export type Answer = (response: ServerResponse, request: ArrivedRequest) => void | Promise<void>;

/** An HTTP server that answers its n-th request as the n-th answer of its script says. */
export class ScriptedServer {
  readonly requests: ArrivedRequest[] = [];

  private constructor(
    private readonly server: Server,
    readonly url: string,
  ) {}

  static async open(answers: readonly Answer[]): Promise<ScriptedServer> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const scripted = new ScriptedServer(server, `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    server.on('request', (request: IncomingMessage, response: ServerResponse) => {
      scripted.#answer(request, response, answers).catch(() => response.destroy());
    });
    return scripted;
  }

  close(): Promise<void> {
    this.server.closeAllConnections();
    return new Promise((resolve) => this.server.close(() => resolve()));
  }

  async #answer(request: IncomingMessage, response: ServerResponse, answers: readonly Answer[]): Promise<void> {
    const body = Buffer.concat(await request.toArray());
    const { method = '', url = '', headers } = request;
    const arrived = { method, path: url, headers, body };
    const answer = answers[this.requests.push(arrived) - 1];
    if (answer === undefined) throw new Error('the script is over');
    await answer(response, arrived);
  }
}
