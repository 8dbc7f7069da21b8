import { PDFArray, PDFDict, type PDFDocument, type PDFObject, type PDFRef } from 'pdf-lib';
import { arrayAt, dictAt, dictsIn, nameAt, textAt, textOf, valueAt } from './objects.js';

/** A terminal field of a form. */
export interface DescribedField {
  /** With the names of its parents, joined by dots. */
  readonly name: string;
  /** `Tx`, `Btn`, `Ch` or `Sig`, its own or its parent's. */
  readonly type: string | null;
  /** `null` if it has none; several where it is an array; `<dictionary>` for that of a signature. */
  readonly value: string | readonly string[] | null;
  /** 0-based pages that hold its widgets; `null` for a widget that stands in no page. */
  readonly pages: ReadonlyArray<number | null>;
  /** The states that its widgets show (`AS`), and `null` for one without an appearance. */
  readonly shown: ReadonlyArray<string | null>;
}

interface Inherited {
  readonly names: readonly string[];
  readonly type: string | undefined;
  readonly value: PDFObject | undefined;
}

/** The terminal fields of a document in the order of its form. A form with a loop is an error. */
export function describeForm(document: PDFDocument): DescribedField[] {
  const fields = arrayAt(dictAt(document.catalog, 'AcroForm'), 'Fields');
  const pages = pagesOfWidgets(document);
  const seen = new Set<PDFDict>();
  const visit = (array: PDFArray | undefined, inherited: Inherited): DescribedField[] =>
    dictsIn(array, document.context).flatMap(({ ref, dict }) => {
      if (seen.has(dict)) throw new Error('The form holds a field twice.');
      seen.add(dict);
      const name = textAt(dict, 'T');
      const own = {
        names: name === undefined ? inherited.names : [...inherited.names, name],
        type: nameAt(dict, 'FT') ?? inherited.type,
        value: valueAt(dict, 'V') ?? inherited.value,
      };
      const kids = arrayAt(dict, 'Kids');
      const areFields = dictsIn(kids, document.context).some((kid) => textAt(kid.dict, 'T') !== undefined);
      return areFields ? visit(kids, own) : [describeField(own, widgetsOf(dict, ref, kids), pages)];
    });
  return visit(fields, { names: [], type: undefined, value: undefined });
}

type Widget = ReturnType<typeof dictsIn>[number];

function widgetsOf(dict: PDFDict, ref: PDFRef | undefined, kids: PDFArray | undefined): Widget[] {
  return kids === undefined ? [{ ref, dict }] : dictsIn(kids, dict.context);
}

function describeField(
  { names, type, value }: Inherited,
  widgets: readonly Widget[],
  pages: ReadonlyMap<PDFDict, number>,
): DescribedField {
  return {
    name: names.join('.'),
    type: type ?? null,
    value: valueOf(value),
    pages: widgets.map(({ dict }) => pages.get(dict) ?? null),
    shown: widgets.map(({ dict }) => {
      const appearance = valueAt(dictAt(dict, 'AP'), 'N');
      return appearance === undefined ? null : (nameAt(dict, 'AS') ?? '');
    }),
  };
}

function valueOf(value: PDFObject | undefined): DescribedField['value'] {
  if (value instanceof PDFArray) return value.asArray().map((_, at) => textOf(value.lookup(at)) ?? '');
  if (value instanceof PDFDict) return '<dictionary>';
  return textOf(value) ?? null;
}

function pagesOfWidgets(document: PDFDocument): Map<PDFDict, number> {
  return new Map(
    document
      .getPages()
      .flatMap(({ node }, index) =>
        dictsIn(arrayAt(node, 'Annots'), document.context).map(({ dict }) => [dict, index] as const),
      ),
  );
}
