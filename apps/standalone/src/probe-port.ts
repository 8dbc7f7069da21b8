import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';

/**
 * Listens for a moment, so that a port that is taken is told before anything is written.
 *
 * @returns the port, a free one for 0
 * @throws EADDRINUSE and what else listening throws
 */
export async function probePort(host: string, port: number): Promise<number> {
  const server = createServer().listen({ host, port });
  await once(server, 'listening');
  const { port: found } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return found;
}
