import { createServer, type Server, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import type { TestCertificate } from './certificates.js';

/** What a receiver does on a connection; whatever is left out it does not do, so one without any hangs. */
export interface Behaviour {
  readonly onConnection?: (socket: Socket) => void;
  /** The head of a request has come, its body may not have. */
  readonly onHead?: (socket: Socket) => void;
  /** A whole request has come; `index` counts those of this receiver from 0. */
  readonly onRequest?: (socket: Socket, index: number) => void;
}

/** A request as it came. */
export interface HostileRequest {
  readonly head: string;
  readonly body: string;
}

/** A server on loopback that speaks TCP or TLS and does what it is told, HTTP or not. */
export class HostileReceiver {
  readonly requests: HostileRequest[] = [];
  readonly #sockets = new Set<Socket>();
  readonly #server: Server;
  #connections = 0;

  private constructor(
    private readonly behaviour: Behaviour,
    certificate: TestCertificate | null,
  ) {
    const serve = (socket: Socket): void => this.#serve(socket);
    this.#server = certificate === null ? createServer(serve) : createTlsServer({ ...certificate }, serve);
    this.#server.on('tlsClientError', () => undefined);
  }

  static async open(behaviour: Behaviour, certificate: TestCertificate | null = null): Promise<HostileReceiver> {
    const receiver = new HostileReceiver(behaviour, certificate);
    await new Promise<void>((resolve) => receiver.#server.listen(0, '127.0.0.1', resolve));
    return receiver;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}/`;
  }

  /** Connections so far. */
  get connections(): number {
    return this.#connections;
  }

  get openConnections(): number {
    return this.#sockets.size;
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  #serve(socket: Socket): void {
    this.#connections += 1;
    this.#sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => this.#sockets.delete(socket));
    this.behaviour.onConnection?.(socket);
    let text = '';
    let isHeadKnown = false;
    socket.on('data', (chunk: Buffer) => {
      text += chunk.toString('latin1');
      const end = text.indexOf('\r\n\r\n');
      if (end < 0) return;
      if (!isHeadKnown) this.behaviour.onHead?.(socket);
      isHeadKnown = true;
      const head = text.slice(0, end);
      const length = Number(/^content-length: (\d+)/im.exec(head)?.[1] ?? 0);
      const rest = text.slice(end + 4);
      if (rest.length < length) return;
      this.requests.push({ head, body: rest.slice(0, length) });
      text = rest.slice(length);
      isHeadKnown = false;
      this.behaviour.onRequest?.(socket, this.requests.length - 1);
    });
  }
}

/** Writes this at every request. */
export function answering(text: string): Behaviour {
  return { onRequest: (socket) => void socket.write(text) };
}

/** Writes this at the first request and ends the connection. */
export function answeringOnce(text: string): Behaviour {
  return { onRequest: (socket) => void socket.end(text) };
}

/** Of what is poured; with a few bytes for each write, the writes would leave this process no time for anything else. */
const leastPoured = 0x4000;

/** Writes the beginning and then the same again and again, as fast as it is taken. */
export function pouring(beginning: string, again: string): Behaviour {
  const poured = again.repeat(Math.ceil(leastPoured / again.length));
  return {
    onRequest: (socket) => {
      const pour = (): void => {
        while (!socket.destroyed && socket.write(poured));
      };
      socket.on('drain', pour).write(beginning);
      pour();
    },
  };
}

/** Writes the beginning and then one character each time. */
export function trickling(beginning: string, rest: string, everyMs: number): Behaviour {
  return {
    onRequest: (socket) => {
      const characters = rest[Symbol.iterator]();
      socket.write(beginning);
      const timer = setInterval(() => {
        const { value, done } = characters.next();
        if (done !== true) socket.write(value);
        else clearInterval(timer);
      }, everyMs);
      socket.on('close', () => clearInterval(timer));
    },
  };
}

/** Answers so long after the request. */
export function late(text: string, afterMs: number): Behaviour {
  return {
    onRequest: (socket) => {
      const timer = setTimeout(() => socket.write(text), afterMs);
      socket.on('close', () => clearTimeout(timer));
    },
  };
}

const ok = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok';

/** Answers so many requests as it should and cuts the connection at the next, before any byte of an answer. */
export function closingKept(after: number, cut: (socket: Socket) => void): Behaviour {
  return { onRequest: (socket, index) => void (index < after ? socket.write(ok) : cut(socket)) };
}

/** Cuts the connection by a reset. */
export function reset(socket: Socket): void {
  socket.resetAndDestroy();
}
