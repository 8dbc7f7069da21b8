import { AskTogether } from '#libs/pace';
import type { FileReference, FileStore, StoredDocument } from '#libs/persistence';

/** A statement takes a few milliseconds. */
const patienceMs = 250;

/** How long a look at a file counts. What a file says never changes; only that it is there does. */
const lookCountsMs = 1_000;
const mostRemembered = 10_000;

type Documents = readonly (StoredDocument | null)[];

interface Seen {
  readonly accountId: string;
  readonly document: StoredDocument;
  readonly until: number;
}

/**
 * Finds the files of jobs, those of many requests in one statement. A file that was found a moment ago is not looked up again: what is deleted
 * meanwhile is as if it were deleted between the check and the commit, which guards the object by itself.
 */
export class FindFiles {
  private readonly asking: AskTogether<readonly FileReference[], Documents>;
  private readonly seen = new Map<string, Seen>();

  /** @param now in milliseconds */
  constructor(
    files: Pick<FileStore, 'findUsable'>,
    private readonly now: () => number,
  ) {
    this.asking = new AskTogether(async (asked) => shareOut(asked, await files.findUsable(asked.flat())), {
      patienceMs,
    });
  }

  /** One entry for each reference, in their order, `null` where the account has no such file. */
  async find(references: readonly FileReference[]): Promise<Documents> {
    const remembered = references.map((reference) => this.remembered(reference));
    const unknown = references.filter((_, index) => remembered[index] === null);
    if (unknown.length === 0) return remembered;
    const looked = await this.asking.ask(unknown);
    unknown.forEach((reference, index) => this.remember(reference, looked[index] ?? null));
    let next = 0;
    return remembered.map((document) => document ?? looked[next++] ?? null);
  }

  /** The file was deleted. */
  forget(fileId: string): void {
    this.seen.delete(fileId);
  }

  private remembered({ accountId, fileId }: FileReference): StoredDocument | null {
    const seen = this.seen.get(fileId);
    return seen?.accountId === accountId && this.now() < seen.until ? seen.document : null;
  }

  private remember({ accountId, fileId }: FileReference, document: StoredDocument | null): void {
    if (document === null) return void this.seen.delete(fileId);
    if (this.seen.size >= mostRemembered) this.seen.clear();
    this.seen.set(fileId, { accountId, document, until: this.now() + lookCountsMs });
  }
}

/** Gives each who asked as many as they asked for. */
function shareOut(asked: readonly (readonly FileReference[])[], documents: Documents): readonly Documents[] {
  let first = 0;
  return asked.map((references) => documents.slice(first, (first += references.length)));
}
