import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { heapFillingPdf, samplePdf } from '../../../../test/support/pdf-samples.js';
import type { TaskMessage } from '../child/protocol.js';
import { findConfinement, unconfined } from './confinement/confinement.js';
import { DocumentChild } from './document-child.js';

let directory: string;
let child: DocumentChild;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'document-child-'));
  const entry = resolve('dist/libs/pdf/src/child/main.js');
  const memoryBytes = 160 * 2 ** 20;
  const bounds = { memoryBytes, maxFileBytes: 2 ** 20, lifetimeMs: 60_000 };
  child = new DocumentChild({ entry, confinement: unconfined, ...bounds, directory });
});

afterEach(async () => {
  child.kill();
  await child.ended;
  await rm(directory, { recursive: true, force: true });
});

async function mergeOf(content: Uint8Array): Promise<TaskMessage> {
  const path = join(directory, 'input.pdf');
  await writeFile(path, content);
  const inputs = [{ path, name: 'input.pdf', password: null, pages: null }];
  return {
    ...{ operation: 'merge', options: {}, inputs, outputDirectory: directory, temporaryDirectory: directory },
    ...{ maxPages: 10, maxOutputs: 10, maxOutputBytes: 2 ** 20 },
  };
}

describe('a document process', () => {
  it('answers as soon as it is ready, and lives on', async () => {
    expect(await child.ask(await mergeOf(await samplePdf([100])), () => undefined)).toMatchObject({
      type: 'completed',
      outputs: [{ file: '0.pdf', pages: 1 }],
    });
    expect(child.alive).toBe(true);
  });

  it('is known to have run out of heap by what it said at its end', async () => {
    expect(await child.ask(await mergeOf(heapFillingPdf()), () => undefined)).toEqual({
      type: 'ended',
      cause: 'memory',
      diedBySignal: expect.any(Boolean),
      reason: expect.stringContaining('The child process ended with'),
    });
    expect(child.alive).toBe(false);
    expect(child.takeOutput()?.text).toContain('heap');
  }, 20_000);

  it('is not taken to have run out of memory when it is killed', async () => {
    await child.ready;
    child.kill();
    expect(await child.ended).toEqual({
      type: 'ended',
      cause: null,
      diedBySignal: false,
      reason: 'The child process ended with SIGKILL.',
    });
  });

  it('is known to have used up its processor time, where the system bounds that', async () => {
    const entry = join(directory, 'spinning.mjs');
    await writeFile(entry, 'for (;;);');
    const confinement = await findConfinement();
    if (confinement.limits === null) return;
    const bounds = { memoryBytes: 2 ** 28, maxFileBytes: 1, lifetimeMs: 1_000 };
    const spinning = new DocumentChild({ entry, confinement, ...bounds, directory });
    expect(await spinning.ended).toMatchObject({ cause: 'processor' });
  }, 60_000);
});
