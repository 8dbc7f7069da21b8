import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sampleDocument } from './sample-document.js';

/** Writes two small documents to try the service with, and gives their paths. */
export async function writeSamples(directory: string): Promise<readonly string[]> {
  const samples = join(directory, 'samples');
  await mkdir(samples, { recursive: true });
  const documents = [
    { path: join(samples, 'one.pdf'), line: 'pdfonce: page one' },
    { path: join(samples, 'two.pdf'), line: 'pdfonce: page two' },
  ];
  await Promise.all(documents.map(({ path, line }) => writeFile(path, sampleDocument(line))));
  return documents.map(({ path }) => path);
}
