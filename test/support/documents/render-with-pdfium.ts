import type { Bitmap } from './bitmap.js';
import { PdfiumDocument } from './pdfium-document.js';

/** How a page is drawn. */
export interface RenderOptions {
  readonly dpi?: number;
  readonly password?: string;
}

const pointsPerInch = 72;
const defaultDpi = 72;
/** A page of hostile size is drawn smaller, so that it fits. */
const mostPixels = 16_000_000;
/** BGRA with alpha, and FPDF_ANNOT | FPDF_REVERSE_BYTE_ORDER of fpdfview.h: annotations too, red first. */
const bitmapFormat = 4;
const renderFlags = 0x01 | 0x10;
const formFlags = 0x10;

/** Draws one page (0-based) on white as a reader sees it, with annotations and form fields. */
export async function renderWithPdfium(bytes: Uint8Array, page: number, options: RenderOptions = {}): Promise<Bitmap> {
  const { dpi = defaultDpi, password = '' } = options;
  return PdfiumDocument.open(bytes, password, (document) => render(document, page, dpi));
}

/** Draws all pages. */
export async function renderAllWithPdfium(bytes: Uint8Array, options: RenderOptions = {}): Promise<Bitmap[]> {
  const { dpi = defaultDpi, password = '' } = options;
  return PdfiumDocument.open(bytes, password, (document) =>
    Array.from({ length: document.pageCount }, (_, page) => render(document, page, dpi)),
  );
}

function render(document: PdfiumDocument, index: number, dpi: number): Bitmap {
  const { pdfium, form } = document;
  const { call } = pdfium;
  return document.withPage(index, (page) => {
    const size = pixelsOf(call._FPDF_GetPageWidthF(page), call._FPDF_GetPageHeightF(page), dpi);
    const { width, height } = size;
    return pdfium.withMemory(width * height * 4, (memory) => {
      const bitmap = call._FPDFBitmap_CreateEx(width, height, bitmapFormat, memory, width * 4);
      call._FPDFBitmap_FillRect(bitmap, 0, 0, width, height, 0xffffffff);
      call._FPDF_RenderPageBitmap(bitmap, page, 0, 0, width, height, 0, renderFlags);
      call._FPDF_FFLDraw(form, bitmap, page, 0, 0, width, height, 0, formFlags);
      call._FPDFBitmap_Destroy(bitmap);
      return { width, height, rgba: pdfium.copy(memory, width * height * 4) };
    });
  });
}

function pixelsOf(widthPoints: number, heightPoints: number, dpi: number): { width: number; height: number } {
  const asked = dpi / pointsPerInch;
  const scale = Math.min(asked, Math.sqrt(mostPixels / (widthPoints * heightPoints)));
  return {
    width: Math.max(Math.round(widthPoints * scale), 1),
    height: Math.max(Math.round(heightPoints * scale), 1),
  };
}
