import { PdfiumDocument } from './pdfium-document.js';
import { utf16, type Pointer } from './pdfium-module.js';

/** A page as a reader sees it: its size in points after rotation and cropping, its text, and the label it is shown by. */
export interface PdfiumPage {
  readonly width: number;
  readonly height: number;
  readonly text: string;
  /** Empty where the document has no labels. */
  readonly label: string;
}

/** One entry of the outline; `page` is 0-based, `null` if it leads to no page of this document. */
export interface PdfiumBookmark {
  readonly title: string;
  readonly page: number | null;
  readonly children: readonly PdfiumBookmark[];
}

/** One widget of a form as PDFium fills it in. */
export interface PdfiumWidget {
  /** The full name of its field. */
  readonly name: string;
  readonly page: number;
  readonly type: 'button' | 'checkbox' | 'radio' | 'choice' | 'text' | 'signature' | 'unknown';
  readonly value: string;
  readonly checked: boolean;
}

/** All that PDFium, a reader that shares nothing with the product, sees in a document. */
export interface PdfiumReading {
  readonly pages: readonly PdfiumPage[];
  readonly bookmarks: readonly PdfiumBookmark[];
  /** Contents by name, in the order of the name tree. */
  readonly attachments: ReadonlyArray<{ readonly name: string; readonly bytes: Uint8Array }>;
  readonly widgets: readonly PdfiumWidget[];
  readonly namedDestinations: number;
  readonly signatures: number;
  readonly isTagged: boolean;
}

/** FPDF_FORMFIELD_* of fpdf_formfill.h, by number. */
const widgetTypes = ['unknown', 'button', 'checkbox', 'radio', 'choice', 'choice', 'text', 'signature'] as const;
/** FPDF_ANNOT_WIDGET of fpdf_annot.h. */
const widgetSubtype = 20;
/** A deeper or longer outline is taken for one that has no end. */
const mostBookmarks = 10_000;

/** Reads a document with PDFium. Throws when PDFium cannot open it, or one of its pages. */
export async function readWithPdfium(bytes: Uint8Array, password = ''): Promise<PdfiumReading> {
  return PdfiumDocument.open(bytes, password, (document) => {
    const indices = Array.from({ length: document.pageCount }, (_, index) => index);
    const { pdfium, pointer } = document;
    return {
      pages: indices.map((index) => readPage(document, index)),
      bookmarks: readBookmarks(document, 0, { left: mostBookmarks }),
      attachments: readAttachments(document),
      widgets: indices.flatMap((index) => readWidgets(document, index)),
      namedDestinations: pdfium.call._FPDF_CountNamedDests(pointer),
      signatures: Math.max(pdfium.call._FPDF_GetSignatureCount(pointer), 0),
      isTagged: pdfium.call._FPDFCatalog_IsTagged(pointer) !== 0,
    };
  });
}

/** The 0-based page that a named destination leads to; `null` if there is none of that name. */
export async function findNamedDestination(bytes: Uint8Array, name: string, password = ''): Promise<number | null> {
  return PdfiumDocument.open(bytes, password, (document) => {
    const { pdfium, pointer } = document;
    const destination = pdfium.lend(Buffer.from(`${name}\0`), (text) =>
      pdfium.call._FPDF_GetNamedDestByName(pointer, text),
    );
    return pageOf(document, destination);
  });
}

function readPage(document: PdfiumDocument, index: number): PdfiumPage {
  const { pdfium } = document;
  return document.withPage(index, (page) => ({
    width: pdfium.call._FPDF_GetPageWidthF(page),
    height: pdfium.call._FPDF_GetPageHeightF(page),
    text: readText(document, page),
    label: pdfium.textFrom((buffer, length) => pdfium.call._FPDF_GetPageLabel(document.pointer, index, buffer, length)),
  }));
}

function readText({ pdfium }: PdfiumDocument, page: Pointer): string {
  const { call } = pdfium;
  const textPage = call._FPDFText_LoadPage(page);
  if (textPage === 0) throw new Error('PDFium cannot read the text of a page.');
  try {
    const characters = call._FPDFText_CountChars(textPage);
    if (characters <= 0) return '';
    return pdfium.withMemory((characters + 1) * 2, (buffer) => {
      const written = call._FPDFText_GetText(textPage, 0, characters, buffer);
      return utf16(pdfium.copy(buffer, Math.max(written - 1, 0) * 2)).replaceAll('\r\n', '\n');
    });
  } finally {
    call._FPDFText_ClosePage(textPage);
  }
}

function readBookmarks(document: PdfiumDocument, parent: Pointer, budget: { left: number }): PdfiumBookmark[] {
  const { pdfium, pointer } = document;
  const { call } = pdfium;
  const bookmarks: PdfiumBookmark[] = [];
  let bookmark = call._FPDFBookmark_GetFirstChild(pointer, parent);
  while (bookmark !== 0) {
    budget.left -= 1;
    if (budget.left < 0) throw new Error('The outline has no end.');
    const at = bookmark;
    bookmarks.push({
      title: pdfium.textFrom((buffer, length) => call._FPDFBookmark_GetTitle(at, buffer, length)),
      page: bookmarkPage(document, at),
      children: readBookmarks(document, at, budget),
    });
    bookmark = call._FPDFBookmark_GetNextSibling(pointer, bookmark);
  }
  return bookmarks;
}

function bookmarkPage(document: PdfiumDocument, bookmark: Pointer): number | null {
  const { call } = document.pdfium;
  const own = call._FPDFBookmark_GetDest(document.pointer, bookmark);
  if (own !== 0) return pageOf(document, own);
  const action = call._FPDFBookmark_GetAction(bookmark);
  return action === 0 ? null : pageOf(document, call._FPDFAction_GetDest(document.pointer, action));
}

function pageOf({ pdfium, pointer }: PdfiumDocument, destination: Pointer): number | null {
  if (destination === 0) return null;
  const index = pdfium.call._FPDFDest_GetDestPageIndex(pointer, destination);
  return index === -1 ? null : index;
}

function readAttachments({ pdfium, pointer }: PdfiumDocument): PdfiumReading['attachments'] {
  const { call } = pdfium;
  return Array.from({ length: call._FPDFDoc_GetAttachmentCount(pointer) }, (_, index) => {
    const attachment = call._FPDFDoc_GetAttachment(pointer, index);
    return {
      name: pdfium.textFrom((buffer, length) => call._FPDFAttachment_GetName(attachment, buffer, length)),
      bytes: pdfium.bytesFrom((buffer, length) =>
        pdfium.withMemory(4, (size) => {
          call._FPDFAttachment_GetFile(attachment, buffer, length, size);
          return new DataView(pdfium.copy(size, 4).buffer).getUint32(0, true);
        }),
      ),
    };
  });
}

function readWidgets(document: PdfiumDocument, index: number): PdfiumWidget[] {
  const { call } = document.pdfium;
  return document.withPage(index, (page) =>
    Array.from({ length: call._FPDFPage_GetAnnotCount(page) }, (_, at) => {
      const annotation = call._FPDFPage_GetAnnot(page, at);
      try {
        return call._FPDFAnnot_GetSubtype(annotation) === widgetSubtype
          ? [readWidget(document, index, annotation)]
          : [];
      } finally {
        call._FPDFPage_CloseAnnot(annotation);
      }
    }).flat(),
  );
}

function readWidget({ pdfium, form }: PdfiumDocument, page: number, annotation: Pointer): PdfiumWidget {
  const { call } = pdfium;
  return {
    name: pdfium.textFrom((buffer, length) => call._FPDFAnnot_GetFormFieldName(form, annotation, buffer, length)),
    page,
    type: widgetTypes[call._FPDFAnnot_GetFormFieldType(form, annotation)] ?? 'unknown',
    value: pdfium.textFrom((buffer, length) => call._FPDFAnnot_GetFormFieldValue(form, annotation, buffer, length)),
    checked: call._FPDFAnnot_IsChecked(form, annotation) !== 0,
  };
}
