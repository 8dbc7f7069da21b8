import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readlink, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { eventually } from '../../../../test/support/eventually.js';
import { mergeTask } from '../../../../test/support/merge-task.js';
import { samplePdf, widthsFrom } from '../../../../test/support/pdf-samples.js';
import { childrenOf, isRunning } from '../../../../test/support/processes.js';
import { DocumentPool } from '../pool/document-pool.js';
import type { DocumentTask } from '../pool/document-task.js';

let directory: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'leash-'));
});

afterEach(() => rm(directory, { recursive: true, force: true }));

const bounds = {
  timeoutMs: 600_000,
  memoryBytes: 512 * 2 ** 20,
  maxPages: 10,
  maxOutputs: 10,
  maxOutputBytes: 2 ** 20,
};

describe('a document process and its parent', () => {
  it('shares no end of a pipe with a sibling or the parent, so that the end of the parent is seen', async () => {
    const others = await childrenOf(process.pid);
    const log = { info: () => undefined, warn: () => undefined };
    const childEntry = resolve('dist/libs/pdf/src/child/main.js');
    const pool = new DocumentPool({ ...bounds, size: 3, temporaryRoot: directory, log, childEntry });
    try {
      await Promise.all(
        widthsFrom(100, 3).map(async (width) => pool.run(await mergeTask(directory, [await samplePdf([width])]))),
      );
      const children = (await childrenOf(process.pid)).filter((pid) => !others.includes(pid));
      expect(children.length).toBe(3);
      const sockets = (await Promise.all([process.pid, ...children].map(socketsOf))).flat();
      expect(new Set(sockets).size).toBe(sockets.length);
    } finally {
      await pool.close();
    }
  });

  it('does not outlive the parent by two seconds, even if it hangs in a loop', async () => {
    const hanging = await Promise.all(
      [1, 2, 3].map(async () => {
        const task = await mergeTask(directory, [await samplePdf([100])]);
        return { ...task, inputs: task.inputs.map((input) => ({ ...input, name: 'spin' })) };
      }),
    );
    const parent = startParent(hanging);
    const exited = once(parent, 'exit');
    let reported = 0;
    for await (const line of createInterface({ input: parent.stdout })) {
      if (line === 'at work') reported += 1;
      if (reported === hanging.length) break;
    }
    const children = await childrenOf(parent.pid ?? 0);
    expect(children.length).toBe(3);
    parent.kill('SIGKILL');
    await exited;
    try {
      await eventually(async () => !(await Promise.all(children.map(isRunning))).includes(true), { withinMs: 2_000 });
    } finally {
      for (const child of children) if (await isRunning(child)) process.kill(child, 'SIGKILL');
    }
  }, 20_000);
});

async function socketsOf(pid: number): Promise<string[]> {
  const descriptors = await readdir(`/proc/${pid}/fd`);
  const targets = await Promise.all(descriptors.map((name) => readlink(`/proc/${pid}/fd/${name}`).catch(() => '')));
  return [...new Set(targets.filter((target) => target.startsWith('socket:')))];
}

/** A process with a pool of its own that runs these tasks and says when each is at work. */
function startParent(tasks: DocumentTask[]): ReturnType<typeof spawnPiped> {
  const index = pathToFileURL(resolve('dist/libs/pdf/src/index.js'));
  const childEntry = resolve('dist/test/bench/documents/bomb-child.js');
  const options = { ...bounds, size: tasks.length, temporaryRoot: directory, childEntry };
  return spawnPiped(`
    const { DocumentPool } = await import(${JSON.stringify(index)});
    const log = { info() {}, warn() {} };
    const pool = new DocumentPool({ ...${JSON.stringify(options)}, log });
    const onProgress = () => process.stdout.write('at work\\n');
    await Promise.all(${JSON.stringify(tasks)}.map((task) => pool.run({ ...task, onProgress })));`);
}

function spawnPiped(script: string) {
  return spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
}
