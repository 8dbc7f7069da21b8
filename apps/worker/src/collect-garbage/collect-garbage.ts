import { unhurried } from '#libs/pace';
import type { GarbageStore } from '#libs/persistence';
import type { BlobStore } from '#libs/storage';
import type { Logger } from 'pino';
import { metrics } from '../metrics.js';

const pageSize = 500;
const leastPages = 20;

/**
 * Removes stored objects that nothing needs: first their rows, which the foreign keys of those who refer to them protect, then their bytes,
 * then their names from the deletion list. Any number of processes may do so at once, and any may die in between.
 */
export class CollectGarbage {
  #afterId: string | null = null;

  constructor(
    private readonly store: GarbageStore,
    private readonly blobs: BlobStore,
    /** After how long an upload that nothing refers to is garbage, in milliseconds. */
    private readonly uploadAgeMs: number,
    private readonly log: Logger,
  ) {}

  /**
   * Looks at the next part of all objects, a larger one where there is much to remove, and begins again at the end; then removes what is on the
   * deletion list.
   */
  async collect(signal: AbortSignal): Promise<void> {
    let removed = 0;
    for (let page = 0; (page < leastPages || removed > 0) && !signal.aborted; page += 1) {
      const collected = await unhurried(() => this.store.collect(this.#afterId, pageSize, this.uploadAgeMs), signal);
      this.#afterId = collected.nextAfterId;
      removed = collected.removed;
      if (this.#afterId === null) break;
    }
    await this.#removeListed(signal);
  }

  async #removeListed(signal: AbortSignal): Promise<void> {
    let removed = 0;
    for (let afterName = ''; !signal.aborted;) {
      const names = await this.store.deletedObjects(afterName, pageSize);
      const gone = await this.#remove(names, signal);
      if (gone.length > 0) await this.store.forget(gone);
      removed += gone.length;
      if (names.length < pageSize) break;
      afterName = names.at(-1) ?? '';
    }
    if (removed === 0) return;
    metrics.collectedObjects.inc(removed);
    this.log.info({ objects: removed }, 'garbage.collected');
  }

  /** Stops between two objects when told to: each removal waits for the disk. */
  async #remove(names: readonly string[], signal: AbortSignal): Promise<string[]> {
    const gone: string[] = [];
    for (const name of names) {
      if (signal.aborted) break;
      try {
        await this.blobs.remove(name);
        gone.push(name);
      } catch (error) {
        this.log.error({ err: error, objectName: name }, 'garbage.not-removed');
      }
    }
    return gone;
  }
}
