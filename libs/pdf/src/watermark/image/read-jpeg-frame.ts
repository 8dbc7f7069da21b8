/** Frames that the filter DCTDecode takes: baseline, extended and progressive, all with Huffman codes (ITU-T T.81, table B.1). */
const decodable = [0xc0, 0xc1, 0xc2];
const otherFrames = [0xc3, 0xc5, 0xc6, 0xc7, 0xc9, 0xca, 0xcb, 0xcd, 0xce, 0xcf];

/** What a JPEG has in its frame header, if a PDF can hold its bytes as they are: eight bits, gray or RGB. Otherwise `null`. */
export function readJpegFrame(bytes: Uint8Array): { readonly colors: 1 | 3 } | null {
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = 2; at + 9 < view.length && view[at] === 0xff;) {
    const marker = view[at + 1] ?? 0;
    if (decodable.includes(marker)) return colorsOf(view.subarray(at + 4));
    if (otherFrames.includes(marker) || marker === 0xda) return null;
    at += marker === 0xff ? 1 : 2 + view.readUInt16BE(at + 2);
  }
  return null;
}

function colorsOf(frame: Buffer): { colors: 1 | 3 } | null {
  const [precision, , , , , components] = frame;
  return precision === 8 && (components === 1 || components === 3) ? { colors: components } : null;
}
