import { readFile } from 'node:fs/promises';
import { deflateSync } from 'node:zlib';
import type { Metadata, Sharp, SharpOptions } from 'sharp';
import { isAllocationFailure } from '../../document/failure/allocation-failure.js';
import { DocumentFailed, unsupportedImage } from '../../document/failure/document-failure.js';
import { readJpegFrame } from './read-jpeg-frame.js';
import { pngData } from './png-data.js';

/** One plane of pixels as a PDF holds it: rows from the top, eight bits for each of its colors, compressed by `filter`. */
export interface PixelPlane {
  readonly colors: 1 | 3;
  readonly filter: 'DCTDecode' | 'FlateDecode';
  /** Whether each row begins with the number of a PNG predictor. */
  readonly hasPredictor: boolean;
  readonly data: Uint8Array;
}

/** A picture, upright. */
export interface ReadImage {
  readonly width: number;
  readonly height: number;
  readonly pixels: PixelPlane;
  /** How opaque each pixel is; `null` if all are wholly. */
  readonly alpha: PixelPlane | null;
}

/** By their first bytes, and by the names that sharp has for them. */
const formats: ReadonlyArray<{ format: string; pattern: RegExp }> = [
  { format: 'png', pattern: /^\x89PNG\r\n\x1a\n/ },
  { format: 'jpeg', pattern: /^\xff\xd8\xff/ },
  { format: 'webp', pattern: /^RIFF[^]{4}WEBP/ },
  { format: 'gif', pattern: /^GIF8[79]a/ },
  { format: 'tiff', pattern: /^(II[*+]\0|MM\0[*+])/ },
];

const limits: SharpOptions = { limitInputPixels: 100_000_000, failOn: 'error', sequentialRead: true };
/** A JPEG is decoded at an eighth of its size or less to see whether it is whole. */
const trialSize = 8;

/**
 * Reads a PNG, JPEG, WebP, GIF (its first picture) or TIFF (its first page). Throws `DocumentFailed` with `unsupported_image`
 * for any other file, a damaged one, and one of more than 100 million pixels.
 */
export async function readImage(path: string, input: number): Promise<ReadImage> {
  const bytes = await readFile(path);
  const head = bytes.toString('latin1', 0, 16);
  const known = formats.find(({ pattern }) => pattern.test(head));
  if (known === undefined) throw new DocumentFailed(unsupportedImage(input, 'is no PNG, JPEG, WebP, GIF or TIFF'));
  const { default: sharp } = await import('sharp');
  try {
    return await decode(() => sharp(bytes, limits), bytes);
  } catch (error) {
    if (isAllocationFailure(error)) throw error;
    throw new DocumentFailed(unsupportedImage(input, reasonOf(error)), { cause: error });
  }
}

async function decode(open: () => Sharp, bytes: Uint8Array): Promise<ReadImage> {
  const metadata = await open().metadata();
  const jpeg = isKeptAsItIs(metadata) ? readJpegFrame(bytes) : null;
  if (jpeg === null) return decodePixels(open, metadata);
  await open().resize(trialSize, trialSize, { fit: 'fill' }).raw().toBuffer();
  const pixels = { colors: jpeg.colors, filter: 'DCTDecode', hasPredictor: false, data: bytes } as const;
  return { width: metadata.width, height: metadata.height, pixels, alpha: null };
}

function isKeptAsItIs({ format, orientation = 1, depth, space }: Metadata): boolean {
  return format === 'jpeg' && orientation === 1 && depth === 'uchar' && (space === 'srgb' || space === 'b-w');
}

/** Colors become sRGB, by the profile of the image where it has one. */
async function decodePixels(open: () => Sharp, { space, hasAlpha }: Metadata): Promise<ReadImage> {
  const isGray = space === 'b-w' || space === 'grey16';
  const png = await open()
    .autoOrient()
    .removeAlpha()
    .toColourspace(isGray ? 'b-w' : 'srgb')
    .png({ compressionLevel: 9, adaptiveFiltering: true, palette: false })
    .toBuffer();
  const { width, height, colors, data } = pngData(png);
  const alpha = hasAlpha ? await decodeAlpha(open) : null;
  return { width, height, pixels: { colors, filter: 'FlateDecode', hasPredictor: true, data }, alpha };
}

async function decodeAlpha(open: () => Sharp): Promise<PixelPlane | null> {
  const raw = await open()
    .autoOrient()
    .toColourspace('srgb')
    .extractChannel('alpha')
    .raw({ depth: 'uchar' })
    .toBuffer();
  if (raw.every((value) => value === 255)) return null;
  return { colors: 1, filter: 'FlateDecode', hasPredictor: false, data: deflateSync(raw) };
}

function reasonOf(error: unknown): string {
  const isTooLarge = error instanceof Error && error.message.includes('pixel limit');
  return isTooLarge ? 'has more than 100 million pixels' : 'is a damaged image';
}
