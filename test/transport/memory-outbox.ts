import type { OutboxRecord, OutboxSource } from '#libs/messaging';

interface Row {
  readonly record: OutboxRecord;
  claimedUntil: number;
  state: 'unpublished' | 'published' | 'dead';
}

/** An outbox in memory that keeps the rules of `OutboxSource`: claims lapse, the oldest come first. */
export class MemoryOutbox implements OutboxSource {
  readonly claims: number[] = [];
  readonly dead: { readonly id: string; readonly reason: string }[] = [];
  readonly #rows = new Map<string, Row>();

  constructor(private readonly claimMs = 10_000) {}

  add(...records: OutboxRecord[]): void {
    for (const record of records) this.#rows.set(record.id, { record, claimedUntil: 0, state: 'unpublished' });
  }

  unpublished(): number {
    return [...this.#rows.values()].filter(({ state }) => state === 'unpublished').length;
  }

  async claim(limit: number): Promise<readonly OutboxRecord[]> {
    const now = performance.now();
    const free = [...this.#rows.values()].filter((row) => row.state === 'unpublished' && row.claimedUntil <= now);
    const taken = free.slice(0, limit);
    for (const row of taken) row.claimedUntil = now + this.claimMs;
    this.claims.push(taken.length);
    return taken.map(({ record }) => record);
  }

  async markPublished(ids: readonly string[]): Promise<void> {
    for (const id of ids) this.#row(id).state = 'published';
  }

  async markDead(id: string, reason: string): Promise<void> {
    this.#row(id).state = 'dead';
    this.dead.push({ id, reason });
  }

  #row(id: string): Row {
    const row = this.#rows.get(id);
    if (!row) throw new Error(`no outbox row ${id}`);
    return row;
  }
}
