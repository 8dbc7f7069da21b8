import { AskTogether } from '#libs/pace';
import type { AskedKey, FoundKey, IdempotencyStore } from '#libs/persistence';

/** A look-up takes a few milliseconds. */
const patienceMs = 250;

/** Looks up what keys stand for; many in one statement. */
export class LookUpKeys {
  private readonly asking: AskTogether<AskedKey, FoundKey | null>;

  constructor(keys: Pick<IdempotencyStore, 'findAll'>) {
    this.asking = new AskTogether((asked) => keys.findAll(asked), { patienceMs });
  }

  /** The committed record of a key, an expired one too. */
  find(asked: AskedKey): Promise<FoundKey | null> {
    return this.asking.ask(asked);
  }
}
