import type { Caller } from '../http/request-context.js';
import type { Budgets } from '../rate-limit/budgets.js';
import { Entry, type EntryParts } from './entry.js';
import type { Client } from './take-turns.js';

/** A request of a keyed route whose body has not been read. */
export interface Arrival {
  readonly caller: Caller;
  /** What its key is scoped to, with its account. */
  readonly route: string;
  readonly key: string | null;
  readonly client: Client;
}

/** Where requests that may write enter, before their bodies are read. */
export class Entrance {
  constructor(
    private readonly parts: EntryParts,
    private readonly budgets: Budgets,
  ) {}

  enter({ caller, route, key, client }: Arrival): Entry {
    const { accountId, keyId: apiKeyId } = caller;
    const asked = key === null ? null : { accountId, route, key, apiKeyId };
    const entry = new Entry(this.parts, { key: asked, budget: this.budgets.of(caller), client });
    client.once('close', () => entry.close());
    return entry;
  }
}
