import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The folder of the package, from the sources and from the build alike. */
export const packageRoot = ascend(import.meta.dirname);

function ascend(directory: string): string {
  return existsSync(join(directory, 'package.json')) ? directory : ascend(dirname(directory));
}
