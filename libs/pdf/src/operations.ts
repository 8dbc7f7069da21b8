import { merge } from './merge/merge.js';
import type { OperationDeclaration, OperationName } from './operation.js';
import { pages } from './pages/pages.js';
import { rotate } from './rotate/rotate.js';
import { split } from './split/split.js';
import { watermark } from './watermark/watermark.js';

/** Every operation there is, by its name. */
export const operations: Readonly<Record<OperationName, OperationDeclaration>> = {
  merge,
  split,
  pages,
  rotate,
  watermark,
};
