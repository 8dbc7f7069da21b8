import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';
import { type History, openHistory } from '../support/history.js';
import { monotonicMs } from '../support/monotonic-ms.js';
import { SeededRandom } from './random.js';
import { conductOf, type ReceiverName, receiverNames, wellConduct } from './receiver-conduct.js';

/** What the receivers are told: the secret of each, and when to take everything. */
export type ReceiverOrder =
  { readonly kind: 'trust'; readonly secrets: Readonly<Record<string, string>> } | { readonly kind: 'be-well' };

/** What they tell: on which port of 127.0.0.1 each listens, that an order was carried out, and whose request is never answered. */
export type ReceiverNotice =
  | { readonly kind: 'listening'; readonly ports: Readonly<Record<string, number>> }
  | { readonly kind: 'done' }
  | { readonly kind: 'hanging'; readonly pid: number };

/** The receivers of webhooks, as a process that outlives every fault: writes the beginning and the end of each request into the history. */
class Receiver {
  readonly #server: Server = createServer((request, response) => void this.#handle(request, response));
  readonly #random: SeededRandom;
  readonly #openedAtMs = monotonicMs();
  #webhook: Webhook | undefined;
  #isWell = false;
  #requests = 0;

  constructor(
    readonly name: ReceiverName,
    seed: string,
    private readonly history: History,
  ) {
    this.#random = new SeededRandom(seed).fork(name);
  }

  listen(): Promise<number> {
    return new Promise((resolve) => {
      this.#server.listen(0, '127.0.0.1', () => resolve((this.#server.address() as AddressInfo).port));
    });
  }

  trust(secret: string): void {
    this.#webhook = new Webhook(secret);
  }

  beWell(): void {
    this.#isWell = true;
  }

  async #handle(message: IncomingMessage, response: ServerResponse): Promise<void> {
    const startedMs = monotonicMs();
    const body = await read(message).catch(() => undefined);
    if (body === undefined) return;
    const request = `${this.name}#${(this.#requests += 1)}`;
    this.history.append({
      type: 'arrival',
      request,
      endpoint: this.name,
      monotonicMs: startedMs,
      ...this.#factsOf(message, body),
    });
    let isCut = false;
    response.once('close', () => {
      const how = isCut ? 'cut' : response.writableFinished ? 'answered' : 'left';
      this.history.append({ type: 'departure', request, how, status: response.statusCode, monotonicMs: monotonicMs() });
    });
    const conduct = this.#isWell
      ? wellConduct(this.#random)
      : conductOf(this.name, startedMs - this.#openedAtMs, this.#random);
    if (conduct.kind === 'hang') return tell({ kind: 'hanging', pid: Number(message.headers['pdfonce-test-pid']) });
    if (conduct.kind === 'cut') {
      isCut = true;
      message.socket.destroy();
      return;
    }
    await pause(conduct.delayMs);
    response.writeHead(conduct.status).end();
  }

  #factsOf({ headers }: IncomingMessage, body: Buffer) {
    const text = (name: string): string => String(headers[name]);
    const eventId = text('webhook-id');
    return {
      ...{ deliveryId: text('pdfonce-delivery-id'), eventId, pid: Number(headers['pdfonce-test-pid']) },
      isGenuine: this.#isGenuine(headers as Record<string, string>, body, eventId),
      bodySha256: createHash('sha256').update(body).digest('hex'),
    };
  }

  #isGenuine(headers: Record<string, string>, body: Buffer, eventId: string): boolean {
    try {
      const event = this.#webhook?.verify(body, headers) as { id: string } | undefined;
      return event?.id === eventId;
    } catch {
      return false;
    }
  }
}

function tell(notice: ReceiverNotice): void {
  process.send?.(notice);
}

async function read(message: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

const [historyPath = '', seed = ''] = process.argv.slice(2);
const history = openHistory(historyPath);
const receivers = receiverNames.map((name) => new Receiver(name, seed, history));

process.on('message', (order: ReceiverOrder) => {
  for (const receiver of receivers) {
    if (order.kind === 'be-well') receiver.beWell();
    else receiver.trust(order.secrets[receiver.name] ?? '');
  }
  tell({ kind: 'done' });
});
process.once('disconnect', () => process.exit());
const ports = await Promise.all(receivers.map(async (receiver) => [receiver.name, await receiver.listen()] as const));
tell({ kind: 'listening', ports: Object.fromEntries(ports) });
