import type { PDFDocument, PDFObject } from 'pdf-lib';
import { PDFDict, PDFName, PDFNull, PDFRawStream, PDFRef } from 'pdf-lib';
import type { Box } from '../../content/box.js';
import { boxAround, boxAt } from '../../content/box.js';
import { addForm } from '../../content/form-object.js';
import type { Matrix } from '../../content/matrix.js';
import { formatNumbers, identity } from '../../content/matrix.js';
import { PagePainter } from '../../content/page-painter.js';
import type { DocumentWarning } from '../../document/failure/document-warnings.js';
import { arrayAt, entryAt, nameAt } from '../../document/objects/read-entry.js';
import type { Carrier } from '../carrier.js';
import type { Excerpt, PlacedPage } from '../excerpt.js';
import { formOf } from '../form/read-form.js';
import { placeAppearance } from './place-appearance.js';
import { appearanceOf, hasText, isSeen } from './widget-appearance.js';

/** An appearance in the new document, where it is drawn, and the layer that it belongs to, if any. */
interface DrawnWidget {
  readonly appearance: PDFRef;
  readonly matrix: Matrix;
  readonly box: Box;
  readonly layer: PDFObject | undefined;
}

const resourcesKey = PDFName.of('Resources');

/**
 * Makes what form fields show a part of their pages, and leaves the fields out. A widget is drawn as its appearance shows it in its state, over the content of its
 * page; one that is hidden is not drawn. A text that has no appearance is lost with its field, and warned of.
 */
export function flattenForm(document: PDFDocument): Carrier {
  const painter = new PagePainter(document, 'over');
  const warnings = new Set<DocumentWarning>();
  return {
    prepare: ({ source, copier }) => {
      const { nodes, strays } = formOf(source);
      const { context } = source.document;
      copier.leaveOut((ref) => nodes.has(ref) || strays.has(ref) || isWidget(context.lookup(ref)));
    },
    add: (excerpt) => {
      for (const page of excerpt.pages) {
        const widgets = widgetsOn(page).filter(isSeen);
        if (widgets.some((widget) => hasText(widget) && appearanceOf(widget) === undefined))
          warnings.add('appearance_missing');
        const drawn = widgets.flatMap((widget) => copyAppearance(widget, excerpt, document) ?? []);
        removeWidgets(page);
        if (drawn.length > 0) paint(page, drawn, { document, painter });
      }
    },
    finish: () => [...warnings],
  };
}

function widgetsOn({ from }: PlacedPage): PDFDict[] {
  const annotations = arrayAt(from.node, 'Annots')?.asArray() ?? [];
  return annotations.map((annotation) => from.node.context.lookup(annotation)).filter(isWidget);
}

function isWidget(object: PDFObject | undefined): object is PDFDict {
  return object instanceof PDFDict && nameAt(object, 'Subtype') === 'Widget';
}

/** Those that are objects of their own are left out already. */
function removeWidgets({ node }: PlacedPage): void {
  const annotations = arrayAt(node, 'Annots')?.asArray();
  if (annotations === undefined) return;
  const others = annotations.filter((annotation) => !isWidget(node.context.lookup(annotation)));
  if (others.length > 0) node.set(PDFName.of('Annots'), node.context.obj(others));
  else node.delete(PDFName.of('Annots'));
}

function copyAppearance(widget: PDFDict, excerpt: Excerpt, target: PDFDocument): DrawnWidget | undefined {
  const original = appearanceOf(widget);
  const box = boxAt(widget, 'Rect');
  if (original === undefined || box === null) return undefined;
  const copy = excerpt.copier.copy(original);
  const stream = target.context.lookup(copy);
  if (!(stream instanceof PDFRawStream) || !(copy instanceof PDFRef)) return undefined;
  const matrix = placeAppearance(stream.dict, box);
  if (matrix === null) return undefined;
  completeForm(stream.dict, excerpt);
  return { appearance: copy, matrix, box, layer: copyLayer(widget, excerpt) };
}

/** Readers draw appearances that lack what a form XObject must have. */
function completeForm(appearance: PDFDict, { copier, source }: Excerpt): void {
  appearance.set(PDFName.of('Type'), PDFName.of('XObject'));
  appearance.set(PDFName.of('Subtype'), PDFName.of('Form'));
  const shared = entryAt(formOf(source).dict, 'DR');
  if (!appearance.has(resourcesKey) && shared !== undefined) appearance.set(resourcesKey, copier.copy(shared));
}

function copyLayer(widget: PDFDict, { copier }: Excerpt): PDFObject | undefined {
  const layer = entryAt(widget, 'OC');
  const copy = layer === undefined ? PDFNull : copier.copy(layer);
  return copy === PDFNull ? undefined : copy;
}

/** Draws all widgets of a page as one form, so that its content is taken apart once. */
function paint(
  { ref, node }: PlacedPage,
  widgets: readonly DrawnWidget[],
  { document: { context }, painter }: { readonly document: PDFDocument; readonly painter: PagePainter },
): void {
  const appearances: Record<string, PDFRef> = {};
  const layers: Record<string, PDFRef> = {};
  let content = '';
  for (const [index, { appearance, matrix, layer }] of widgets.entries()) {
    appearances[`W${index}`] = appearance;
    const drawing = `q ${formatNumbers(matrix)} cm /W${index} Do Q\n`;
    content += layer === undefined ? drawing : `/OC /L${index} BDC\n${drawing}EMC\n`;
    if (layer !== undefined) layers[`L${index}`] = layer instanceof PDFRef ? layer : context.register(layer);
  }
  const resources = { XObject: appearances, Properties: layers };
  const form = addForm(context, { content, box: boxAround(widgets.map(({ box }) => box)), resources });
  const inheritable = new Map(node.entries());
  painter.draw({ ref, node, inheritable }, { form, matrix: identity, isContent: true });
}
