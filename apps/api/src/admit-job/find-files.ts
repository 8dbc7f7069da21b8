import { AskTogether } from '#libs/pace';
import type { FileReference, FileStore, StoredDocument } from '#libs/persistence';

/** A statement takes a few milliseconds. */
const patienceMs = 250;

type Documents = readonly (StoredDocument | null)[];

/** Finds the files of jobs, those of many requests in one statement. */
export class FindFiles {
  private readonly asking: AskTogether<readonly FileReference[], Documents>;

  constructor(files: Pick<FileStore, 'findUsable'>) {
    this.asking = new AskTogether(async (asked) => shareOut(asked, await files.findUsable(asked.flat())), {
      patienceMs,
    });
  }

  /** One entry for each reference, in their order, `null` where the account has no such file. */
  find(references: readonly FileReference[]): Promise<Documents> {
    return this.asking.ask(references);
  }
}

/** Gives each who asked as many as they asked for. */
function shareOut(asked: readonly (readonly FileReference[])[], documents: Documents): readonly Documents[] {
  let first = 0;
  return asked.map((references) => documents.slice(first, (first += references.length)));
}
