import type { FileReference, FileStore, StoredDocument } from '#libs/persistence';
import { FindFiles } from './find-files.js';

const reference = (fileId: string): FileReference => ({ accountId: 'account', fileId });

interface Statement {
  readonly fileIds: readonly string[];
  readonly end: (error?: Error) => void;
}

/** A store whose statements end when they are told to; a file whose id begins with `no` does not exist. */
function heldStore(now = (): number => 0) {
  const statements: Statement[] = [];
  const findUsable: FileStore['findUsable'] = (references) =>
    new Promise((resolve, reject) => {
      const fileIds = references.map(({ fileId }) => fileId);
      const documents = fileIds.map((id) => (id.startsWith('no') ? null : ({ objectId: id } as StoredDocument)));
      statements.push({ fileIds, end: (error) => (error === undefined ? resolve(documents) : reject(error)) });
    });
  return { statements, files: new FindFiles({ findUsable }, now) };
}

describe('FindFiles', () => {
  it('asks in this turn for who comes alone', async () => {
    const { statements, files } = heldStore();
    const found = files.find([reference('a'), reference('no-b')]);
    await new Promise(setImmediate);
    expect(statements.map(({ fileIds }) => fileIds)).toEqual([['a', 'no-b']]);
    statements[0]?.end();
    expect(await found).toEqual([{ objectId: 'a' }, null]);
  });

  it('asks in one statement for all who came while one was under way, and gives each their own', async () => {
    const { statements, files } = heldStore();
    const first = files.find([reference('a')]);
    await new Promise(setImmediate);
    const later = [files.find([reference('c'), reference('no-d')]), files.find([]), files.find([reference('e')])];
    statements[0]?.end();
    await first;
    await new Promise(setImmediate);
    expect(statements.map(({ fileIds }) => fileIds)).toEqual([['a'], ['c', 'no-d', 'e']]);
    statements[1]?.end();
    expect(await Promise.all(later)).toEqual([[{ objectId: 'c' }, null], [], [{ objectId: 'e' }]]);
  });

  it('looks again at a file after a second, at once for another account, and when it was deleted', async () => {
    let now = 0;
    const { statements, files } = heldStore(() => now);
    const find = async (...references: readonly FileReference[]): Promise<void> => {
      const found = files.find(references);
      await new Promise(setImmediate);
      statements.at(-1)?.end();
      await found;
    };
    await find(reference('a'), reference('no-b'));
    await find(reference('a'));
    expect(statements).toHaveLength(1);
    expect(await files.find([reference('a')])).toEqual([{ objectId: 'a' }]);
    await find(reference('a'), reference('no-b'), reference('c'));
    await find({ accountId: 'another', fileId: 'c' });
    files.forget('a');
    await find(reference('a'));
    now = 1_000;
    await find(reference('a'));
    expect(statements.slice(1).map(({ fileIds }) => fileIds)).toEqual([['no-b', 'c'], ['c'], ['a'], ['a']]);
  });

  it('fails those whose statement failed, and goes on', async () => {
    const { statements, files } = heldStore();
    const lost = files.find([reference('a')]);
    await new Promise(setImmediate);
    statements[0]?.end(new Error('the connection was lost'));
    await expect(lost).rejects.toThrow('the connection was lost');
    const found = files.find([reference('b')]);
    await new Promise(setImmediate);
    statements[1]?.end();
    expect(await found).toEqual([{ objectId: 'b' }]);
  });
});
