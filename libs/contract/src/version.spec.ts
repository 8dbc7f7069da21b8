import { readFile } from 'node:fs/promises';
import { version } from './version.js';

describe('version', () => {
  it('is that of package.json', async () => {
    const manifest = JSON.parse(await readFile('package.json', 'utf8')) as { version: string };
    expect(version).toBe(manifest.version);
  });
});
