import type { FileReference, FileStore, StoredDocument } from '#libs/persistence';

interface Question {
  readonly references: readonly FileReference[];
  readonly answer: (documents: readonly (StoredDocument | null)[]) => void;
  readonly fail: (error: unknown) => void;
}

/** More than one, so that a connection that hangs does not hold up everybody. */
const mostAtOnce = 2;

/**
 * Finds the files of jobs, those of many requests in one statement: who asks while the statements that may be under way are under way is
 * answered by the next one. Alone, a request waits for nobody.
 */
export class FindFiles {
  readonly #questions: Question[] = [];
  #underWay = 0;

  constructor(private readonly files: FileStore) {}

  /** One entry for each reference, in their order, `null` where the account has no such file. */
  find(references: readonly FileReference[]): Promise<readonly (StoredDocument | null)[]> {
    return new Promise((answer, fail) => {
      this.#questions.push({ references, answer, fail });
      if (this.#underWay < mostAtOnce) void this.#answerAll();
    });
  }

  async #answerAll(): Promise<void> {
    this.#underWay += 1;
    while (this.#questions.length > 0) await this.#answer(this.#questions.splice(0));
    this.#underWay -= 1;
  }

  async #answer(questions: readonly Question[]): Promise<void> {
    try {
      const documents = await this.files.findUsable(questions.flatMap(({ references }) => references));
      let first = 0;
      for (const { references, answer } of questions) {
        answer(documents.slice(first, first + references.length));
        first += references.length;
      }
    } catch (error) {
      for (const { fail } of questions) fail(error);
    }
  }
}
