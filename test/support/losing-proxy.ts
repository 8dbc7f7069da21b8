import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** What gets lost: the answer of Postgres to what was sent, or what was sent before it reaches Postgres. */
export type Lost = 'answer' | 'request';

interface Loss {
  readonly lost: Lost;
  readonly session: string;
  readonly text: string;
  readonly done: () => void;
}

/** ReadyForQuery outside a transaction (message type, length, status), which is the end of an answer. */
const readyForQuery = Buffer.from([0x5a, 0, 0, 0, 5, 0x49]);

/** Stands between processes and Postgres and cuts a connection at a moment that is asked for. */
export class LosingProxy {
  #loss: Loss | undefined;
  readonly #sockets = new Set<Socket>();

  private constructor(
    private readonly server: Server,
    private readonly target: URL,
  ) {}

  /** @param databaseUrl of any database of the server that it stands before */
  static async open(databaseUrl: string): Promise<LosingProxy> {
    const server = createServer();
    const proxy = new LosingProxy(server, new URL(databaseUrl));
    server.on('connection', (client) => proxy.#connect(client));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return proxy;
  }

  /** The same database by way of this proxy. */
  before(databaseUrl: string): string {
    const url = new URL(databaseUrl);
    url.port = String((this.server.address() as AddressInfo).port);
    return url.href;
  }

  /**
   * Cuts one connection when it sends a text the next time: at once, or when Postgres has done it and answers. Resolves when that has happened.
   *
   * @param session `application_name` of the connection
   */
  lose(lost: Lost, session: string, text: string): Promise<void> {
    return new Promise((done) => {
      this.#loss = { lost, session, text, done };
    });
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.server.close();
    await once(this.server, 'close');
  }

  #connect(client: Socket): void {
    const postgres = connect(Number(this.target.port), this.target.hostname);
    const cut = (): void => {
      client.destroy();
      postgres.destroy();
    };
    for (const socket of [client, postgres]) {
      this.#sockets.add(socket);
      socket.on('error', cut).on('close', () => {
        this.#sockets.delete(socket);
        cut();
      });
    }
    let startup: Buffer | undefined;
    let losing: Loss | undefined;
    client.on('data', (sent: Buffer) => {
      startup ??= sent;
      losing ??= this.#take(startup, sent);
      if (losing?.lost !== 'request') return void postgres.write(sent);
      cut();
      losing.done();
    });
    postgres.on('data', (answer: Buffer) => {
      if (losing === undefined) return void client.write(answer);
      if (!answer.includes(readyForQuery)) return;
      cut();
      losing.done();
    });
  }

  /** The loss that these bytes are meant by; it happens once. */
  #take(startup: Buffer, sent: Buffer): Loss | undefined {
    const loss = this.#loss;
    if (loss === undefined || !startup.includes(loss.session) || !sent.includes(loss.text)) return undefined;
    this.#loss = undefined;
    return loss;
  }
}
