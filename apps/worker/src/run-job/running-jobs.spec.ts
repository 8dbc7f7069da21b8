import type { ClaimedJob } from '#libs/persistence';
import { RunningJob } from './running-job.js';
import { RunningJobs } from './running-jobs.js';

function jobOf(url: string | null): RunningJob {
  return new RunningJob({ inputs: [{ url }], progressTotal: 1 } as unknown as ClaimedJob);
}

describe('the slots of a worker', () => {
  it('are taken by jobs at work, and by none that waits for the servers of its inputs (contract 2.11)', async () => {
    const running = new RunningJobs(2);
    const [fetching, plain] = [jobOf('https://example.com/a.pdf'), jobOf(null)];
    running.add(fetching);
    running.add(plain);
    expect(running.free).toBe(0);
    let end: () => void = () => undefined;
    const fetched = fetching.fetch(() => new Promise<void>((resolve) => (end = resolve)));
    const unneeded = plain.fetch(() => Promise.resolve());
    expect(running.free).toBe(1);
    end();
    await Promise.all([fetched, unneeded]);
    expect(running.free).toBe(0);
  });

  it('are taken by what fetches beyond 64 jobs', async () => {
    const running = new RunningJobs(2);
    for (let count = 0; count < 66; count += 1) {
      const job = jobOf('https://example.com/a.pdf');
      running.add(job);
      void job.fetch(() => new Promise(() => undefined));
    }
    expect(running.free).toBe(0);
  });
});
