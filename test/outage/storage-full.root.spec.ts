import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import type { JobView } from '#libs/domain';
import { type ApiAnswer, ApiClient } from '../support/api-client.js';
import { Cluster } from '../support/cluster.js';
import { Creations } from './creations.js';

const run = promisify(execFile);

/** Mounts a small file system, which only root can. */
describe('while the storage is full', () => {
  let directory: string;
  let cluster: Cluster;
  let api: ApiClient;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'pdfonce-small-'));
    await run('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', directory]);
    const objects = join(directory, 'objects');
    await mkdir(objects);
    cluster = await Cluster.start({ dispatchers: 0, env: { STORAGE_URL: pathToFileURL(objects).href } });
    api = new ApiClient(cluster.apiUrls[0] ?? '', await cluster.createKey('account'));
  }, 90_000);

  afterAll(async () => {
    await cluster?.stop();
    await run('umount', [directory]);
    await rm(directory, { recursive: true });
  }, 30_000);

  it('uploads are 507 with Retry-After, nothing is accepted, and the same keys succeed when there is room (contract 1.9, 1.12)', async () => {
    const { multipart, file, json } = (await Creations.prepare(api)).all('k');
    const filler = join(directory, 'filler');
    await expect(writeFile(filler, Buffer.alloc(2 ** 20))).rejects.toThrow('ENOSPC');

    for (const answer of [await multipart(api), await file(api)]) {
      expect(outcome(answer)).toBe('507 storage_full');
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
      expect(answer.headers.get('location')).toBeNull();
    }
    const counts =
      'SELECT (SELECT count(*)::int FROM jobs) AS jobs, (SELECT count(*)::int FROM idempotency_keys) AS keys';
    expect(await cluster.query(counts)).toEqual([{ jobs: 0, keys: 0 }]);
    expect(outcome(await json(api))).toBe('202');

    await rm(filler);
    const answers = [await multipart(api), await file(api)];
    expect(answers.map(outcome)).toEqual(['202', '201']);
    expect(answers.map(({ headers }) => headers.get('idempotent-replayed'))).toEqual([null, null]);
    const [accepted] = answers;
    const job = await api.endedJob(accepted?.json<JobView>().id ?? '');
    expect(job.state).toBe('completed');
    expect(await cluster.query(counts)).toEqual([{ jobs: 2, keys: 3 }]);
  }, 60_000);
});

function outcome(answer: ApiAnswer): string {
  return answer.status < 400 ? String(answer.status) : `${answer.status} ${answer.json<{ code: string }>().code}`;
}
