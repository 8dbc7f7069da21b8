const signatureBytes = 8;
/** Length, type and checksum around the data of a chunk. */
const chunkOverheadBytes = 12;

/** The pixels of a PNG as they are compressed in it. */
export interface PngData {
  readonly width: number;
  readonly height: number;
  readonly colors: 1 | 3;
  readonly data: Uint8Array;
}

/** Takes apart a PNG with eight bits for each of one or three colors, rows in order (ISO/IEC 15948). */
export function pngData(png: Buffer): PngData {
  const parts: Buffer[] = [];
  for (let at = signatureBytes; at + chunkOverheadBytes <= png.length;) {
    const length = png.readUInt32BE(at);
    if (png.toString('latin1', at + 4, at + 8) === 'IDAT') parts.push(png.subarray(at + 8, at + 8 + length));
    at += length + chunkOverheadBytes;
  }
  const [depth, colorType, interlace] = [png[24], png[25], png[28]];
  if (depth !== 8 || (colorType !== 0 && colorType !== 2) || interlace !== 0)
    throw new Error(`A PNG of depth ${depth} and color type ${colorType} was not expected.`);
  const colors = colorType === 0 ? 1 : 3;
  return { width: png.readUInt32BE(16), height: png.readUInt32BE(20), colors, data: Buffer.concat(parts) };
}
