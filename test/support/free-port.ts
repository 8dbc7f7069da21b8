import { createServer } from 'node:net';

const leastPort = 15_000;
const portRange = 15_000;

/**
 * A port of 127.0.0.1 that nobody listens on now, below the range from which outgoing connections take theirs, so that a process that is
 * started again finds it free.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = leastPort + Math.floor(Math.random() * portRange);
    if (await isFree(port)) return port;
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen({ port, host: '127.0.0.1' }, () => server.close(() => resolve(true)));
  });
}
