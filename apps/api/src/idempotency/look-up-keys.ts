import type { AskedKey, FoundKey, IdempotencyStore } from '#libs/persistence';
import { AskTogether } from './ask-together.js';

/** Looks up what keys stand for; one statement at a time, for all that ask. */
export class LookUpKeys {
  private readonly asking: AskTogether<AskedKey, FoundKey | null>;

  constructor(keys: Pick<IdempotencyStore, 'findAll'>) {
    this.asking = new AskTogether((asked) => keys.findAll(asked));
  }

  /** The committed record of a key, an expired one too. */
  find(asked: AskedKey): Promise<FoundKey | null> {
    return this.asking.ask(asked);
  }
}
