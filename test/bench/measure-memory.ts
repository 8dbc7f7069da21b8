import { openAsBlob } from 'node:fs';
import { truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { WebhookReceiver } from '../support/webhook-receiver.js';
import type { ComparisonOptions } from './comparison.js';
import type { MeasuredServer } from './measured-server.js';
import { forgetPeak, peakBytesOf, residentBytesOf, treeOf } from './process-use.js';
import { type Stage, withStages } from './stage.js';

/** Resident memory of one process. */
export interface ProcessMemory {
  readonly name: string;
  readonly idleBytes: number;
  /** Most while jobs are admitted as fast as the API can, run and told by webhook. */
  readonly loadedBytes: number;
  /** Processes that it has started and that run under load, and what they have together at its end. */
  readonly children: { readonly count: number; readonly bytes: number };
}

/** What memory the processes take. */
export interface MemoryUse {
  readonly processes: readonly ProcessMemory[];
  readonly uploadBytes: number;
  /** What each upload added to the API process at its peak. */
  readonly addedBytes: readonly number[];
}

const settleMs = 5_000;
const uploadBytes = 200_000_000;
const uploads = 3;
/** The load lasts so many times what a half of a pair does. */
const loadHalves = 3;

/** Starts one process of each role and measures them at rest, the API under uploads, and all of them under load. */
export async function measureMemory({
  directory,
  measuredMs,
}: Pick<ComparisonOptions, 'directory' | 'measuredMs'>): Promise<MemoryUse> {
  const receiver = await WebhookReceiver.open();
  try {
    return await withStages(directory, async (open) => {
      const stage = await open('memory');
      const servers = [stage.api, await stage.start('worker'), await stage.start('dispatcher')];
      await stage.client.createEndpoint({ url: receiver.url });
      await pause(settleMs);
      const idle = await Promise.all(servers.map(({ pid }) => residentBytesOf(pid)));
      const addedBytes = await measureUploads(stage);
      await Promise.all(servers.map(({ pid }) => forgetPeak(pid)));
      await stage.measure({ keys: 'fresh', measuredMs: loadHalves * measuredMs });
      const processes = await Promise.all(servers.map((server, index) => memoryOf(server, idle[index] ?? 0)));
      return { processes, uploadBytes, addedBytes };
    });
  } finally {
    await receiver.close();
  }
}

async function memoryOf({ name, pid }: MeasuredServer, idleBytes: number): Promise<ProcessMemory> {
  const children = (await treeOf([pid])).filter((each) => each !== pid);
  const resident = await Promise.all(children.map(residentBytesOf));
  const bytes = resident.reduce((sum, each) => sum + each, 0);
  return { name, idleBytes, loadedBytes: await peakBytesOf(pid), children: { count: children.length, bytes } };
}

/** Uploads one after another; the first, of a small file, is not measured. */
async function measureUploads(stage: Stage): Promise<number[]> {
  const file = join(stage.directory, 'large.pdf');
  await writeFile(file, '%PDF-1.7\n');
  await upload(stage, file);
  await truncate(file, uploadBytes);
  const added: number[] = [];
  for (let number = 0; number < uploads; number += 1) {
    const before = await residentBytesOf(stage.api.pid);
    await forgetPeak(stage.api.pid);
    await upload(stage, file);
    added.push((await peakBytesOf(stage.api.pid)) - before);
  }
  return added;
}

async function upload({ client }: Stage, file: string): Promise<void> {
  const form = new FormData();
  form.set('file', await openAsBlob(file, { type: 'application/pdf' }), 'large.pdf');
  const answer = await client.send('POST', '/v1/files', { body: form });
  if (answer.status !== 201) throw new Error(`an upload was answered with ${answer.status}`);
}
