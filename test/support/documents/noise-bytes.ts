/** Bytes that look like chance and are always the same for the same seed. */
export function noiseBytes(seed: string, length: number): Uint8Array {
  let state = [...seed].reduce((hash, letter) => Math.imul(hash ^ letter.charCodeAt(0), 0x01000193), 0x811c9dc5) | 1;
  return Uint8Array.from({ length }, () => {
    // xorshift32
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return state >>> 24;
  });
}
