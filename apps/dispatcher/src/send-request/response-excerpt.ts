const longestExcerptBytes = 16 * 1024;

/** The beginning of an answer as it is kept: at most 16 KiB of UTF-8, never half a character, without U+0000, which Postgres cannot store. */
export function responseExcerpt(chunks: readonly Uint8Array[]): string {
  const bytes = Buffer.concat(chunks);
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  const isCut = bytes.length > longestExcerptBytes;
  const text = decoder.decode(bytes.subarray(0, longestExcerptBytes), { stream: isCut }).replaceAll('\0', '');
  return withinBytes(text);
}

/** A byte that is no UTF-8 becomes a character of three, so the text may have grown past the limit. */
function withinBytes(text: string): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= longestExcerptBytes) return text;
  return new TextDecoder().decode(bytes.subarray(0, longestExcerptBytes), { stream: true });
}
