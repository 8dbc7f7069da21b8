/**
 * A process for documents that, beside its work, does on demand what hostile documents make of one that a parser does not stop. What it is to
 * do is the name of its first input.
 */
import type { TaskMessage } from '../../../libs/pdf/src/child/protocol.js';
import { memoryBombs } from './bombs.js';

const deeds: Readonly<Record<string, () => void>> = {
  ...memoryBombs,
  spin: () => {
    tellStart();
    for (;;);
  },
  'tell-start': tellStart,
};

function tellStart(): void {
  process.send?.({ type: 'progress', done: 0, total: 1 });
}

process.on('message', (message) => deeds[(message as TaskMessage).inputs[0]?.name ?? '']?.());
await import('../../../libs/pdf/src/child/main.js');
