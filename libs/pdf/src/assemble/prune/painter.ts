import type { PDFObject } from 'pdf-lib';
import { PDFArray, PDFDict, PDFName, PDFRawStream, PDFStream } from 'pdf-lib';
import { arrayAt, dictAt, entryAt, nameAt } from '../../document/objects/read-entry.js';
import type { SourcePage } from '../../document/page-tree/list-pages.js';
import type { Category } from './names-used.js';

/** What draws: its contents, each a stream if all is well, and the resources that they name things of. */
export interface Painter {
  readonly contents: readonly (PDFObject | undefined)[];
  readonly resources: PDFDict | undefined;
  /** What is drawn along with it, and may take from the same resources: the appearances of annotations. */
  readonly attached: readonly PDFObject[];
}

export function painterOfPage({ node, inheritable }: SourcePage): Painter {
  const contents = node.lookup(PDFName.Contents);
  const resources = node.context.lookup(inheritable.get(PDFName.Resources));
  return {
    contents: contents instanceof PDFArray ? valuesOf(contents) : [contents],
    resources: resources instanceof PDFDict ? resources : undefined,
    attached: appearancesOn(node),
  };
}

/** `undefined` for what has no contents in the language of pages. */
export function painterOf(value: PDFObject | undefined): Painter | undefined {
  if (value instanceof PDFStream) {
    const resources = dictAt(value.dict, 'Resources');
    return nameAt(value.dict, 'Subtype') === 'Image' ? undefined : { contents: [value], resources, attached: [] };
  }
  if (!(value instanceof PDFDict) || nameAt(value, 'Subtype') !== 'Type3') return undefined;
  const glyphs = dictAt(value, 'CharProcs');
  const contents = glyphs?.keys().map((key) => glyphs.lookup(key)) ?? [];
  return { contents, resources: dictAt(value, 'Resources'), attached: [] };
}

/** What may draw when a resource is used, as it is referred to: itself, or a mask, a font or a state within it. */
export function drawnBy(category: Category, resource: PDFDict, key: PDFName): PDFObject[] {
  const value = resource.lookup(key);
  if (category === 'ExtGState') return drawnByState(value);
  if (category === 'Pattern' && value instanceof PDFDict) return drawnByState(dictAt(value, 'ExtGState'));
  const entry = resource.get(key);
  return ['Font', 'Pattern', 'XObject'].includes(category) && entry !== undefined ? [entry] : [];
}

/** The same object with other resources. */
export function withResources(value: PDFObject, resources: PDFDict): PDFObject {
  if (!(value instanceof PDFRawStream || value instanceof PDFDict)) throw new Error('Only what draws has resources.');
  const dict = (value instanceof PDFDict ? value : value.dict).clone();
  dict.set(PDFName.Resources, resources);
  return value instanceof PDFDict ? dict : PDFRawStream.of(dict, value.contents);
}

function drawnByState(state: PDFObject | undefined): PDFObject[] {
  if (!(state instanceof PDFDict)) return [];
  const mask = entryAt(dictAt(state, 'SMask'), 'G');
  const font = arrayAt(state, 'Font')?.asArray()[0];
  return [mask, font].filter((entry) => entry !== undefined);
}

/** An appearance is a stream, or has one for each of its states (ISO 32000-1, 12.5.5). */
function appearancesOn(page: PDFDict): PDFObject[] {
  const annotations = valuesOf(arrayAt(page, 'Annots'));
  const appearances = annotations.flatMap((annotation) =>
    annotation instanceof PDFDict ? valuesOf(dictAt(annotation, 'AP')) : [],
  );
  const states = appearances.flatMap((appearance) =>
    appearance instanceof PDFDict ? valuesOf(appearance) : [appearance],
  );
  return states.filter((state) => state instanceof PDFStream);
}

function valuesOf(collection: PDFArray | PDFDict | undefined): (PDFObject | undefined)[] {
  if (collection instanceof PDFArray) return collection.asArray().map((_, index) => collection.lookup(index));
  return collection?.keys().map((key) => collection.lookup(key)) ?? [];
}
