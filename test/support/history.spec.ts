import { appendFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openHistory, readHistory } from './history.js';

it('gives back every entry that was appended, without a last line that a kill cut off', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'pdfonce-history-'));
  const path = join(directory, 'history.jsonl');
  const history = openHistory(path);
  history.append({ type: 'request', request: 'r1', method: 'POST', path: '/v1/jobs' }, 1);
  history.append({ type: 'answer', request: 'r1', status: 202, jobId: 'job_1' }, 2);
  history.close();
  await appendFile(path, '{"at":3,"type":"ki');
  expect(await readHistory(path)).toEqual([
    { at: 1, type: 'request', request: 'r1', method: 'POST', path: '/v1/jobs' },
    { at: 2, type: 'answer', request: 'r1', status: 202, jobId: 'job_1' },
  ]);
  await rm(directory, { recursive: true });
});
