import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { packageRoot } from '../support/package-root.js';

describe.each(['standalone', 'api', 'worker', 'dispatcher'])('the process %s', (app) => {
  function start(...args: readonly string[]): { status: number | null; stdout: string; stderr: string } {
    const entry = join(packageRoot, 'dist', 'apps', app, 'src', 'main.js');
    const env = { PATH: process.env['PATH'] };
    return spawnSync(process.execPath, [entry, ...args], { env, encoding: 'utf8', timeout: 25_000 });
  }

  it('explains itself and does not start with --help', () => {
    expect(start('--help')).toMatchObject({ status: 0, stdout: expect.stringContaining('npm '), stderr: '' });
  });

  it('refuses an argument, and says that settings come from the environment', () => {
    const refused = expect.stringMatching(/^Unknown option '--port'.*environment/);
    expect(start('--port', '3000')).toMatchObject({ status: 1, stdout: '', stderr: refused });
  });
});
