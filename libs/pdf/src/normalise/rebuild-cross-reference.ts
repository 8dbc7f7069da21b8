import type { PDFContext } from 'pdf-lib';
import { largestObjectNumber } from '../scan/bounded-parser.js';
import { indexObjects } from '../scan/index-objects.js';

interface Entry {
  readonly objectNumber: number;
  readonly generation: number;
  readonly offset: number;
}

const trailerKeys = ['Root', 'Encrypt', 'Info', 'ID'] as const;

/**
 * The same file with a new cross-reference table at its end, made from where its objects are; `trailer` is what a lenient reading found.
 * Objects in object streams are found by the last cross-reference stream that there is.
 */
export function rebuildCrossReference(bytes: Buffer, trailer: PDFContext['trailerInfo']): Buffer {
  const entries = entriesOf(bytes);
  const packed = lastStreamOffset(bytes, entries);
  const lines = entries.map(
    ({ objectNumber, generation, offset }) => `${objectNumber} 1\n${padded(offset, 10)} ${padded(generation, 5)} n \n`,
  );
  const size = (entries.at(-1)?.objectNumber ?? 0) + 1;
  const values = trailerKeys.flatMap((key) =>
    trailer[key] === undefined ? [] : [`/${key} ${trailer[key].toString()}`],
  );
  if (packed !== null) values.push(`/XRefStm ${packed}`);
  const table = `xref\n0 1\n0000000000 65535 f \n${lines.join('')}trailer\n<</Size ${size} ${values.join(' ')}>>\n`;
  const end = `startxref\n${bytes.length + 1}\n%%EOF\n`;
  return Buffer.concat([bytes, Buffer.from(`\n${table}${end}`, 'latin1')]);
}

/** In the order of their numbers, one for each. */
function entriesOf(bytes: Buffer): Entry[] {
  const entries = new Map<number, Entry>();
  for (const [key, offset] of indexObjects(bytes)) {
    const [objectNumber = 0, generation = 0] = key.split(' ').map(Number);
    const isLater = offset > (entries.get(objectNumber)?.offset ?? -1);
    if (objectNumber > 0 && objectNumber <= largestObjectNumber && isLater) {
      entries.set(objectNumber, { objectNumber, generation, offset });
    }
  }
  return [...entries.values()].sort((a, b) => a.objectNumber - b.objectNumber);
}

function lastStreamOffset(bytes: Buffer, entries: readonly Entry[]): number | null {
  const name = bytes.lastIndexOf('/XRef');
  const before = entries.map(({ offset }) => offset).filter((offset) => offset < name);
  return before.length === 0 ? null : before.reduce((latest, offset) => Math.max(latest, offset));
}

function padded(value: number, digits: number): string {
  return String(value).padStart(digits, '0');
}
