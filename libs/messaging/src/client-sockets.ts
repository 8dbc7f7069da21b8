import net from 'node:net';
import tls from 'node:tls';
import type { ISocketFactoryArgs } from 'kafkajs';

/** The sockets of one Kafka client, so that it can be ended for good: kafkajs alone waits for answers that may never come. */
export class ClientSockets {
  readonly #sockets = new Set<net.Socket>();
  #destroyed = false;

  /** Whether the client was ended. */
  get destroyed(): boolean {
    return this.#destroyed;
  }

  /** Opens a socket; after `destroy` it fails at once, so a client that still runs somewhere cannot come back. */
  connect({ host, port, ssl, onConnect }: ISocketFactoryArgs): net.Socket {
    const serverName = net.isIP(host) ? {} : { servername: host };
    const socket = ssl
      ? tls.connect({ host, port, ...serverName, ...ssl }, onConnect)
      : net.connect({ host, port }, onConnect);
    socket.setKeepAlive(true, 30_000);
    this.#sockets.add(socket);
    socket.once('close', () => this.#sockets.delete(socket));
    if (this.#destroyed) end(socket);
    return socket;
  }

  /** Whether at least one socket is connected. */
  hasOpen(): boolean {
    return [...this.#sockets].some((socket) => socket.readyState === 'open');
  }

  /** Ends all sockets; requests that wait for an answer fail. */
  destroy(): void {
    this.#destroyed = true;
    for (const socket of this.#sockets) end(socket);
  }
}

function end(socket: net.Socket): void {
  socket.destroy(new Error('the Kafka client was closed'));
}
