import type { PDFObject } from 'pdf-lib';
import { PDFArray, PDFDict, PDFHexString, PDFName, PDFNumber, PDFRef, PDFString } from 'pdf-lib';

/** The entry of a dictionary as it stands there: a reference, or a value. */
export function entryAt(dict: PDFDict | undefined, key: string): PDFObject | undefined {
  return dict?.get(PDFName.of(key));
}

/** The entry of a dictionary that is, or refers to, a dictionary. `undefined` for anything else, as of all that follow. */
export function dictAt(dict: PDFDict | undefined, key: string): PDFDict | undefined {
  const value = valueAt(dict, key);
  return value instanceof PDFDict ? value : undefined;
}

export function arrayAt(dict: PDFDict | undefined, key: string): PDFArray | undefined {
  const value = valueAt(dict, key);
  return value instanceof PDFArray ? value : undefined;
}

export function numberAt(dict: PDFDict | undefined, key: string): number | undefined {
  const value = valueAt(dict, key);
  return value instanceof PDFNumber ? value.asNumber() : undefined;
}

/** The name without its slash. */
export function nameAt(dict: PDFDict | undefined, key: string): string | undefined {
  const value = valueAt(dict, key);
  return value instanceof PDFName ? value.decodeText() : undefined;
}

/** A text string (ISO 32000-1, 7.9.2.2), decoded. */
export function textAt(dict: PDFDict | undefined, key: string): string | undefined {
  const value = valueAt(dict, key);
  return isText(value) ? decodeText(value) : undefined;
}

export function refAt(dict: PDFDict | undefined, key: string): PDFRef | undefined {
  const value = entryAt(dict, key);
  return value instanceof PDFRef ? value : undefined;
}

/** Whether an object is a string, in either spelling. */
export function isText(value: PDFObject | undefined): value is PDFString | PDFHexString {
  return value instanceof PDFString || value instanceof PDFHexString;
}

/** What a string says; its bytes as Latin-1 where it cannot be decoded. */
export function decodeText(text: PDFString | PDFHexString): string {
  try {
    return text.decodeText();
  } catch {
    return Buffer.from(text.asBytes()).toString('latin1');
  }
}

function valueAt(dict: PDFDict | undefined, key: string): PDFObject | undefined {
  return dict?.lookup(PDFName.of(key));
}
