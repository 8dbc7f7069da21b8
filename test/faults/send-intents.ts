import { setTimeout as pause } from 'node:timers/promises';
import type { ApiAnswer } from '../support/api-client.js';
import type { RetryingClient } from './client.js';
import type { Ledger } from './ledger.js';
import {
  batchIntent,
  endpointIntent,
  fileIntent,
  type Intent,
  type IntentParts,
  jobIntent,
  multipartIntent,
  planSending,
} from './plan-intents.js';
import type { SeededRandom } from './random.js';

/** What sends, and with what. */
export interface IntentLoad {
  readonly client: RetryingClient;
  readonly ledger: Ledger;
  readonly random: SeededRandom;
  readonly parts: IntentParts;
}

type Kind = 'job' | 'multipart' | 'batch' | 'chain' | 'file' | 'endpoint';

const kinds: readonly [Kind, ...Kind[]] = [
  ...(['job', 'job', 'job', 'multipart', 'multipart', 'multipart'] as const),
  ...(['batch', 'chain', 'chain', 'file', 'file', 'endpoint', 'endpoint'] as const),
];
const senders = 12;
const mostRunning = 40;
const mostPauseMs = 500;
const mostLaterMs = 3_000;
const mostLinks = 3;

/** Sends intents of every kind until it is told to end, and then until each of them is decided. */
export async function sendIntents(over: AbortSignal, load: IntentLoad): Promise<void> {
  const sending = new SendIntents(load);
  await Promise.all(Array.from({ length: senders }, () => sending.until(over)));
}

class SendIntents {
  readonly #random: SeededRandom;
  #planned = 0;

  constructor(private readonly load: IntentLoad) {
    this.#random = load.random.fork('intents');
  }

  async until(over: AbortSignal): Promise<void> {
    const { ledger } = this.load;
    const later: Promise<unknown>[] = [];
    while (!over.aborted) {
      await pause(this.#random.integer(0, mostPauseMs));
      if (ledger.running < mostRunning) later.push(...(await this.#sendNext()));
    }
    await Promise.all(later);
  }

  /** Gives what is still to be sent when all intents of this kind are decided. */
  async #sendNext(): Promise<Promise<unknown>[]> {
    const { parts } = this.load;
    const kind = this.#random.pick(kinds);
    const key = `${kind}-${(this.#planned += 1)}`;
    switch (kind) {
      case 'job':
        return this.#sent(jobIntent(key, { file_id: parts.fileId }));
      case 'multipart':
        return this.#sent(multipartIntent(key, parts));
      case 'batch':
        return this.#sent(batchIntent(key, parts, this.#random));
      case 'file':
        return this.#sent(fileIntent(key, parts.document));
      case 'endpoint':
        return this.#sent(await endpointIntent(key, parts));
      case 'chain':
        return this.#sendChain(key);
    }
  }

  /** Each job takes the output of the one before it, which mostly has not ended. */
  async #sendChain(key: string): Promise<Promise<unknown>[]> {
    let input: object = { file_id: this.load.parts.fileId };
    const later: Promise<unknown>[] = [];
    const links = this.#random.integer(2, mostLinks);
    for (let link = 1; link <= links; link += 1) {
      const intent = jobIntent(`${key}.${link}`, input);
      const { made, after } = await this.#send(intent);
      later.push(...after);
      input = { job_id: made.json<{ id: string }>().id, output: 0 };
    }
    return later;
  }

  async #sent(intent: Intent): Promise<Promise<unknown>[]> {
    return (await this.#send(intent)).after;
  }

  /** Sends all copies at once; the answer is one that the accepted ones got. */
  async #send(intent: Intent): Promise<{ readonly made: ApiAnswer; readonly after: Promise<unknown>[] }> {
    const { client, ledger } = this.load;
    const { together, later } = planSending(this.#random);
    const answers = await Promise.all(together.map((payload) => client.decide(intent.request(payload))));
    const made = answers.find(({ status }) => status < 300);
    if (made === undefined) throw new Error(`${intent.key} was refused: ${answers.map(shown).join('; ')}`);
    if (intent.jobs > 0) ledger.accept(made.json<{ id: string }>().id);
    const after = later.map(async (payload) => {
      await pause(this.#random.integer(0, mostLaterMs));
      await client.decide(intent.request(payload));
    });
    return { made, after };
  }
}

function shown({ status, body }: ApiAnswer): string {
  return `${status} ${body.toString('utf8').slice(0, 300)}`;
}
