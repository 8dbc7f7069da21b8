import { Pdfium, type Pointer } from './pdfium-module.js';

/** Why PDFium refused a document (fpdfview.h, FPDF_ERR_*). */
const refusals: Readonly<Record<number, string>> = { 3: 'no PDF or a corrupt one', 4: 'a password is needed' };

/** A document that PDFium has open. Whoever opens it closes it. */
export class PdfiumDocument {
  private constructor(
    readonly pdfium: Pdfium,
    readonly pointer: Pointer,
    /** Its form, through which fields are read and drawn. */
    readonly form: Pointer,
  ) {}

  /** Runs the work with an open document. Throws when PDFium cannot open it, and says why. */
  static async open<T>(bytes: Uint8Array, password: string, work: (document: PdfiumDocument) => T): Promise<T> {
    const pdfium = await Pdfium.load();
    const { call } = pdfium;
    return pdfium.lend(bytes, (memory) => {
      const pointer = pdfium.lend(Buffer.from(`${password}\0`), (secret) =>
        call._FPDF_LoadMemDocument(memory, bytes.byteLength, secret),
      );
      if (pointer === 0) throw new Error(`PDFium cannot open it: ${refusals[call._FPDF_GetLastError()] ?? 'unknown'}.`);
      try {
        return workWithForm(pdfium, pointer, (form) => work(new PdfiumDocument(pdfium, pointer, form)));
      } finally {
        call._FPDF_CloseDocument(pointer);
      }
    });
  }

  get pageCount(): number {
    return this.pdfium.call._FPDF_GetPageCount(this.pointer);
  }

  /** Runs the work with one page (0-based). */
  withPage<T>(index: number, work: (page: Pointer) => T): T {
    const { call } = this.pdfium;
    const page = call._FPDF_LoadPage(this.pointer, index);
    if (page === 0) throw new Error(`PDFium cannot load page ${index}.`);
    call._FORM_OnAfterLoadPage(page, this.form);
    try {
      return work(page);
    } finally {
      call._FORM_OnBeforeClosePage(page, this.form);
      call._FPDF_ClosePage(page);
    }
  }
}

/** The structure FPDF_FORMFILLINFO is less than this long; its first field is its version, the others may be zero. */
const formInfoBytes = 256;

function workWithForm<T>(pdfium: Pdfium, document: Pointer, work: (form: Pointer) => T): T {
  return pdfium.withMemory(formInfoBytes, (info) => {
    pdfium.call.HEAPU8[info] = 2;
    const form = pdfium.call._FPDFDOC_InitFormFillEnvironment(document, info);
    try {
      return work(form);
    } finally {
      pdfium.call._FPDFDOC_ExitFormFillEnvironment(form);
    }
  });
}
