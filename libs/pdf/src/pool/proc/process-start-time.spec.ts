import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { eventually } from '../../../../../test/support/eventually.js';
import { processStartTime } from './process-start-time.js';

describe('the start time of a process', () => {
  it('is always the same for a running one', async () => {
    expect(await processStartTime(process.pid)).toBe(await processStartTime(process.pid));
  });

  it('is nothing for one that was killed, even before its parent has noticed', async () => {
    const zombie = spawn('/bin/sh', ['-c', 'sh -c "exit 0" & echo $!; exec sleep 60'], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const exited = once(zombie, 'exit');
    const [pid] = (await once(zombie.stdout, 'data')) as [Buffer];
    await expect(processStartTime(zombie.pid ?? 0)).resolves.not.toBeNull();
    await eventually(async () => (await processStartTime(Number(String(pid)))) === null);
    zombie.kill('SIGKILL');
    await exited;
    expect(await processStartTime(zombie.pid ?? 0)).toBeNull();
  });
});
