import sharp from 'sharp';

/** A blue picture of 60 by 40 pixels. */
export function makePicture(): Promise<Buffer> {
  return sharp({ create: { width: 60, height: 40, channels: 3, background: '#0000ff' } })
    .png()
    .toBuffer();
}
