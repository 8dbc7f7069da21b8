import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packageRoot } from '../support/package-root.js';

describe('a start of the standalone service that cannot be', () => {
  let directory: string;

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'pdfonce-refused-'));
  });

  afterEach(() => rm(directory, { recursive: true, force: true }));

  function start(env: Record<string, string>) {
    const entry = join(packageRoot, 'dist', 'apps', 'standalone', 'src', 'main.js');
    const all = { PATH: process.env['PATH'], PORT: '0', DATA_DIR: join(directory, 'data'), ...env };
    return spawnSync(process.execPath, [entry], { env: all, encoding: 'utf8', timeout: 25_000 });
  }

  it('for a setting of any of its apps says so, and has opened nothing', () => {
    const stderr = expect.stringMatching(/^JOB_TTL .*\nEVENT_TTL .*\n$/);
    expect(start({ IDEMPOTENCY_TTL: '35d' })).toMatchObject({ status: 1, stdout: '', stderr });
    expect(existsSync(join(directory, 'data'))).toBe(false);
  });

  it('for an address that is not of this machine names HOST', () => {
    const stderr = expect.stringMatching(/EADDRNOTAVAIL.*; choose another HOST\n$/);
    expect(start({ HOST: '192.0.2.1' })).toMatchObject({ status: 1, stdout: '', stderr });
  });
});
