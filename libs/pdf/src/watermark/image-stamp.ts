import type { PDFContext, PDFRef } from 'pdf-lib';
import { addForm } from '../content/form-object.js';
import type { PixelPlane, ReadImage } from './image/read-image.js';
import type { Stamp } from './stamp.js';

/** An image whose pixels are one unit wide. */
export function makeImageStamp(context: PDFContext, image: ReadImage, isGroup: boolean): Stamp {
  const { width, height, pixels, alpha } = image;
  const mask = alpha === null ? {} : { SMask: addPlane(context, image, alpha, {}) };
  const resources = { XObject: { I: addPlane(context, image, pixels, mask) } };
  const box = { x: 0, y: 0, width, height };
  const content = `${width} 0 0 ${height} 0 0 cm /I Do`;
  return { form: addForm(context, { content, box, resources, isGroup }), box, ink: box };
}

function addPlane(
  context: PDFContext,
  { width, height }: ReadImage,
  { colors, filter, hasPredictor, data }: PixelPlane,
  mask: Readonly<Record<string, PDFRef>>,
): PDFRef {
  const predictor = { Predictor: 15, Colors: colors, BitsPerComponent: 8, Columns: width };
  const dict = {
    Type: 'XObject',
    Subtype: 'Image',
    Width: width,
    Height: height,
    ColorSpace: colors === 1 ? 'DeviceGray' : 'DeviceRGB',
    BitsPerComponent: 8,
    Filter: filter,
    ...(hasPredictor ? { DecodeParms: predictor } : {}),
    ...mask,
  };
  return context.register(context.stream(data, dict));
}
