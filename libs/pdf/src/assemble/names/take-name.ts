import type { UnusedNames } from './unused-names.js';

/** What a string in UTF-16 begins with. */
const byteOrderMark = '\xfe\xff';

/** Takes a name, given as bytes in Latin-1, that nothing has yet, and returns it in the same encoding. */
export function takeName(name: string, names: UnusedNames): string {
  if (!name.startsWith(byteOrderMark) || name.length % 2 !== 0) return names.take(name);
  const text = Buffer.from(name.slice(byteOrderMark.length), 'latin1').swap16().toString('utf16le');
  return byteOrderMark + Buffer.from(names.take(text), 'utf16le').swap16().toString('latin1');
}
