import { PDFiumModule } from '@hyzyla/pdfium';

/** A place in the memory of PDFium; 0 is none. */
export type Pointer = number;

/** The functions of PDFium's C interface that are used here; the package's own types name few of them. */
interface PdfiumFunctions {
  _FPDF_InitLibraryWithConfig(config: Pointer): void;
  _FPDF_LoadMemDocument(bytes: Pointer, length: number, password: Pointer): Pointer;
  _FPDF_GetLastError(): number;
  _FPDF_CloseDocument(document: Pointer): void;
  _FPDF_GetPageCount(document: Pointer): number;
  _FPDF_LoadPage(document: Pointer, index: number): Pointer;
  _FPDF_ClosePage(page: Pointer): void;
  _FPDF_GetPageWidthF(page: Pointer): number;
  _FPDF_GetPageHeightF(page: Pointer): number;
  _FPDF_GetPageLabel(document: Pointer, index: number, buffer: Pointer, length: number): number;
  _FPDFText_LoadPage(page: Pointer): Pointer;
  _FPDFText_ClosePage(textPage: Pointer): void;
  _FPDFText_CountChars(textPage: Pointer): number;
  _FPDFText_GetText(textPage: Pointer, start: number, count: number, buffer: Pointer): number;
  _FPDFBitmap_CreateEx(width: number, height: number, format: number, scan0: Pointer, stride: number): Pointer;
  _FPDFBitmap_FillRect(bitmap: Pointer, x: number, y: number, width: number, height: number, argb: number): void;
  _FPDFBitmap_Destroy(bitmap: Pointer): void;
  _FPDF_RenderPageBitmap(
    ...args: [
      bitmap: Pointer,
      page: Pointer,
      x: number,
      y: number,
      width: number,
      height: number,
      rotate: number,
      flags: number,
    ]
  ): void;
  _FPDF_FFLDraw(
    ...args: [
      form: Pointer,
      bitmap: Pointer,
      page: Pointer,
      x: number,
      y: number,
      width: number,
      height: number,
      rotate: number,
      flags: number,
    ]
  ): void;
  _FPDFDOC_InitFormFillEnvironment(document: Pointer, info: Pointer): Pointer;
  _FPDFDOC_ExitFormFillEnvironment(form: Pointer): void;
  _FORM_OnAfterLoadPage(page: Pointer, form: Pointer): void;
  _FORM_OnBeforeClosePage(page: Pointer, form: Pointer): void;
  _FPDFBookmark_GetFirstChild(document: Pointer, bookmark: Pointer): Pointer;
  _FPDFBookmark_GetNextSibling(document: Pointer, bookmark: Pointer): Pointer;
  _FPDFBookmark_GetTitle(bookmark: Pointer, buffer: Pointer, length: number): number;
  _FPDFBookmark_GetDest(document: Pointer, bookmark: Pointer): Pointer;
  _FPDFBookmark_GetAction(bookmark: Pointer): Pointer;
  _FPDFAction_GetDest(document: Pointer, action: Pointer): Pointer;
  _FPDFDest_GetDestPageIndex(document: Pointer, destination: Pointer): number;
  _FPDFDoc_GetAttachmentCount(document: Pointer): number;
  _FPDFDoc_GetAttachment(document: Pointer, index: number): Pointer;
  _FPDFAttachment_GetName(attachment: Pointer, buffer: Pointer, length: number): number;
  _FPDFAttachment_GetFile(attachment: Pointer, buffer: Pointer, length: number, size: Pointer): number;
  _FPDFPage_GetAnnotCount(page: Pointer): number;
  _FPDFPage_GetAnnot(page: Pointer, index: number): Pointer;
  _FPDFPage_CloseAnnot(annotation: Pointer): void;
  _FPDFAnnot_GetSubtype(annotation: Pointer): number;
  _FPDFAnnot_GetFormFieldName(form: Pointer, annotation: Pointer, buffer: Pointer, length: number): number;
  _FPDFAnnot_GetFormFieldType(form: Pointer, annotation: Pointer): number;
  _FPDFAnnot_GetFormFieldValue(form: Pointer, annotation: Pointer, buffer: Pointer, length: number): number;
  _FPDFAnnot_IsChecked(form: Pointer, annotation: Pointer): number;
  _FPDFCatalog_IsTagged(document: Pointer): number;
  _FPDF_GetSignatureCount(document: Pointer): number;
  _FPDF_CountNamedDests(document: Pointer): number;
  _FPDF_GetNamedDestByName(document: Pointer, name: Pointer): Pointer;
  _malloc(length: number): Pointer;
  _free(pointer: Pointer): void;
  readonly HEAPU8: Uint8Array;
}

/** PDFium in this process, with what is needed to hand bytes and texts to and fro. */
export class Pdfium {
  private static loading: Promise<Pdfium> | undefined;

  /** Each process has one; its documents are independent of each other. */
  static load(): Promise<Pdfium> {
    Pdfium.loading ??= Pdfium.start();
    return Pdfium.loading;
  }

  private constructor(readonly call: PdfiumFunctions) {}

  /** Lends memory that holds these bytes; it is gone when the work is done. */
  lend<T>(bytes: Uint8Array, work: (pointer: Pointer) => T): T {
    return this.withMemory(bytes.byteLength, (pointer) => {
      this.call.HEAPU8.set(bytes, pointer);
      return work(pointer);
    });
  }

  /** Lends so much memory, filled with zeros. */
  withMemory<T>(length: number, work: (pointer: Pointer) => T): T {
    const pointer = this.call._malloc(length);
    if (pointer === 0) throw new Error(`PDFium has no ${length} bytes left.`);
    try {
      this.call.HEAPU8.fill(0, pointer, pointer + length);
      return work(pointer);
    } finally {
      this.call._free(pointer);
    }
  }

  /** What a function of PDFium wrote that is asked twice, first for the number of bytes. */
  bytesFrom(write: (buffer: Pointer, length: number) => number): Uint8Array {
    const length = write(0, 0);
    if (length === 0) return new Uint8Array();
    return this.withMemory(length, (buffer) => {
      write(buffer, length);
      return this.copy(buffer, length);
    });
  }

  /** The same for a text in UTF-16LE with a zero at its end. */
  textFrom(write: (buffer: Pointer, length: number) => number): string {
    return utf16(this.bytesFrom(write).subarray(0, -2));
  }

  copy(pointer: Pointer, length: number): Uint8Array {
    return this.call.HEAPU8.slice(pointer, pointer + length);
  }

  private static async start(): Promise<Pdfium> {
    const functions = (await PDFiumModule({})) as unknown as PdfiumFunctions;
    functions._FPDF_InitLibraryWithConfig(0);
    return new Pdfium(functions);
  }
}

export function utf16(bytes: Uint8Array): string {
  return new TextDecoder('utf-16le').decode(bytes);
}
