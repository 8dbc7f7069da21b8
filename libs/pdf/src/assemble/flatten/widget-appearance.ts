import type { PDFObject } from 'pdf-lib';
import { PDFDict, PDFName, PDFRawStream } from 'pdf-lib';
import { dictAt, entryAt, isText, nameAt, numberAt } from '../../document/objects/read-entry.js';

/** Flags of annotations that are not seen (ISO 32000-1, table 165): Hidden and NoView. */
const unseen = (1 << 1) | (1 << 5);
/** The longest way up from a widget to what its field has. */
const mostLevels = 50;

/** The normal appearance of a widget in its state, as it stands in its dictionary; `undefined` if it has none. */
export function appearanceOf(widget: PDFDict): PDFObject | undefined {
  const normal = entryAt(dictAt(widget, 'AP'), 'N');
  const found = widget.context.lookup(normal);
  if (!(found instanceof PDFDict)) return found instanceof PDFRawStream ? normal : undefined;
  const state = nameAt(widget, 'AS') ?? nameOf(inherited(widget, 'V')) ?? 'Off';
  const chosen = entryAt(found, state);
  return widget.context.lookup(chosen) instanceof PDFRawStream ? chosen : undefined;
}

export function isSeen(widget: PDFDict): boolean {
  return ((numberAt(widget, 'F') ?? 0) & unseen) === 0;
}

/** Whether its field has a text or a choice that a reader would draw. */
export function hasText(widget: PDFDict): boolean {
  const type = nameOf(inherited(widget, 'FT'));
  const value = inherited(widget, 'V');
  return (type === 'Tx' || type === 'Ch') && isText(value) && value.asBytes().length > 0;
}

/** An entry of a widget, or of the nearest field above it that has one. */
function inherited(widget: PDFDict, key: string): PDFObject | undefined {
  let dict: PDFDict | undefined = widget;
  for (let level = 0; dict !== undefined && level < mostLevels; level += 1) {
    const value = dict.lookup(PDFName.of(key));
    if (value !== undefined) return value;
    dict = dictAt(dict, 'Parent');
  }
  return undefined;
}

function nameOf(value: PDFObject | undefined): string | undefined {
  return value instanceof PDFName ? value.decodeText() : undefined;
}
