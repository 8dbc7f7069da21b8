/** Classes of bytes (ISO 32000-1, 7.2.2). */
const regular = 0;
const white = 1;
const delimiter = 2;
const classes = new Uint8Array(256);
for (const character of '\0\t\n\f\r ') classes[character.charCodeAt(0)] = white;
for (const character of '()<>[]{}/%') classes[character.charCodeAt(0)] = delimiter;

/** White space (ISO 32000-1, table 1). */
export function isWhitespace(byte: number | undefined): boolean {
  return byte !== undefined && classes[byte] === white;
}

/** What begins or ends something, whatever it touches (ISO 32000-1, table 2). */
export function isDelimiter(byte: number | undefined): boolean {
  return byte !== undefined && classes[byte] === delimiter;
}

/** Whether a name or keyword ends before this byte, which may lie behind the end of the file. */
export function endsToken(byte: number | undefined): boolean {
  return byte === undefined || classes[byte] !== regular;
}

/** Where the white space that starts at `offset` ends. */
export function skipWhitespace(bytes: Uint8Array, offset: number): number {
  let end = offset;
  while (isWhitespace(bytes[end])) end += 1;
  return end;
}
