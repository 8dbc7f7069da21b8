import { createServer, type RequestListener } from 'node:http';

/** What a sink listens on and how it answers. */
export interface SinkOptions {
  /** Where it tells how much it has received. */
  readonly port: number;
  /** Where it receives, as so many receivers. */
  readonly receiverPorts: readonly number[];
  /** Time between a request and its answer. */
  readonly delayMs: number;
}

/** What a sink tells of itself. */
export interface SinkCount {
  readonly received: number;
  /** Milliseconds since the epoch, 0 when nothing came. */
  readonly lastAtMs: number;
}

const options = JSON.parse(process.argv[2] ?? '') as SinkOptions;
const count = { received: 0, lastAtMs: 0 };

const receive: RequestListener = (request, response) => {
  request.resume().on('end', () => {
    count.received += 1;
    count.lastAtMs = performance.timeOrigin + performance.now();
    setTimeout(() => response.writeHead(200, { 'content-length': '2' }).end('ok'), options.delayMs);
  });
};

for (const port of options.receiverPorts) createServer(receive).listen(port, '127.0.0.1');
createServer((_request, response) => {
  response.end(JSON.stringify(count satisfies SinkCount));
}).listen(options.port, '127.0.0.1');
