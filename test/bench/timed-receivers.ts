import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { monotonicMs } from '../support/monotonic-ms.js';
import type { SourcedData } from './event-source.js';

/** How a receiver answers: soon, after 30 s, or always with 500. */
export type TimedConduct = 'well' | 'hanging' | 'failing';

/** Receivers that tell how long events were on their way. */
export interface TimedReceiversOptions {
  /** Where a GET gives, and a DELETE forgets, the {@link ReceivedLatencies}. */
  readonly port: number;
  /** Where each receives. */
  readonly receivers: readonly { readonly port: number; readonly conduct: TimedConduct }[];
}

/** By receiver: from each event to the arrival of its first request, in milliseconds; only of events that are measured. */
export type ReceivedLatencies = readonly (readonly number[])[];

const wellMs = 2;
const hangingMs = 30_000;

const options = JSON.parse(process.argv[2] ?? '') as TimedReceiversOptions;
const seen = new Set<string>();
let latencies: number[][] = [];

function forget(): void {
  seen.clear();
  latencies = options.receivers.map(() => []);
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

async function receive(index: number, conduct: TimedConduct, request: IncomingMessage, response: ServerResponse) {
  const { id, data } = JSON.parse(await textOf(request)) as { id: string; data: SourcedData };
  if (data.isMeasured && !seen.has(id)) {
    seen.add(id);
    latencies[index]?.push(monotonicMs() - data.madeAtMs);
  }
  const status = conduct === 'failing' ? 500 : 200;
  setTimeout(() => response.writeHead(status).end(), conduct === 'hanging' ? hangingMs : wellMs);
}

forget();
for (const [index, { port, conduct }] of options.receivers.entries()) {
  createServer((request, response) => {
    receive(index, conduct, request, response).catch(() => undefined);
  }).listen(port, '127.0.0.1');
}
createServer((request, response) => {
  response.end(JSON.stringify(latencies satisfies ReceivedLatencies));
  if (request.method === 'DELETE') forget();
}).listen(options.port, '127.0.0.1');
