import { link, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkOutputs } from './check-outputs.js';

const limits = { maxOutputs: 2, maxOutputBytes: 10 };
let directory: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'check-outputs-'));
});

afterEach(() => rm(directory, { recursive: true }));

async function file(name: string, bytes: number): Promise<string> {
  const path = join(directory, name);
  await writeFile(path, Buffer.alloc(bytes));
  return path;
}

describe('what a child says it made', () => {
  it('is taken when it is plain files within the limits', async () => {
    expect(await checkOutputs([await file('0.pdf', 4), await file('1.pdf', 6)], limits)).toBe(null);
    expect(await checkOutputs([], limits)).toBe(null);
  });

  it('is beyond a limit when it is too much, whatever the child counted', async () => {
    const paths = [await file('0.pdf', 5), await file('1.pdf', 6)];
    expect(await checkOutputs(paths, limits)).toMatchObject({
      failure: { code: 'limit_exceeded', limit: { name: 'MAX_OUTPUT_SIZE', allowed: 10, actual: 11 } },
    });
    expect(await checkOutputs([...paths, await file('2.pdf', 0)], limits)).toMatchObject({
      failure: { code: 'limit_exceeded', limit: { name: 'MAX_OUTPUTS', allowed: 2, actual: 3 } },
    });
  });

  it('is refused when it is missing, a link to another file, a directory, or named twice', async () => {
    const target = await file('secret', 1);
    const [soft, hard] = [join(directory, '0.pdf'), join(directory, '1.pdf')];
    await symlink(target, soft);
    expect(await checkOutputs([soft], limits)).toMatchObject({ kind: 'foreign' });
    await link(target, hard);
    expect(await checkOutputs([hard], limits)).toMatchObject({ kind: 'foreign' });
    expect(await checkOutputs([directory], limits)).toMatchObject({ kind: 'foreign' });
    expect(await checkOutputs([join(directory, 'missing')], limits)).toMatchObject({ kind: 'foreign' });
    const plain = await file('3.pdf', 1);
    expect(await checkOutputs([plain, plain], limits)).toMatchObject({ kind: 'foreign' });
  });
});
