import { deflateSync } from 'node:zlib';
import type { PDFContext, PDFDocument, PDFObject } from 'pdf-lib';
import { PDFArray, PDFDict, PDFName, PDFRef, PDFStream } from 'pdf-lib';
import type { SourcePage } from '../document/page-tree/list-pages.js';
import { decodeContent } from './decode-content.js';
import type { Matrix } from './matrix.js';
import { formatNumbers } from './matrix.js';
import { measureBalance } from './measure-balance.js';

/** A form XObject to be drawn on a page, and where. */
export interface Drawing {
  readonly form: PDFRef;
  readonly matrix: Matrix;
  /** Whether it is part of what the page says; else it is marked as an artifact. */
  readonly isContent?: boolean;
}

/** Whether drawings go over what a page shows, or under it. */
export type Layer = 'over' | 'under';

/** The content of a page, and what closes all that it leaves open. */
interface Isolated {
  readonly streams: readonly PDFRef[];
  readonly closing: string;
}

const space = 0x20;
const contentsKey = PDFName.of('Contents');
const resourcesKey = PDFName.of('Resources');
const xObjectKey = PDFName.of('XObject');
/** Kept out of the structure of a tagged document (ISO 32000-1, 14.8.2.2). */
const artifact = '/Artifact <</Type /Pagination /Subtype /Watermark>> BDC';

/**
 * Draws on the pages of one document, all in one layer. What the pages share stays shared and unchanged: each gets streams and resources beside
 * its own, and pages that need the same ones get the same.
 */
export class PagePainter {
  private readonly context: PDFContext;
  private readonly streams = new Map<string, PDFRef>();
  private readonly contents = new Map<PDFObject | undefined, Map<string, PDFRef>>();
  private readonly resources = new Map<PDFDict | null, Map<PDFRef, { ref: PDFRef; name: string }>>();

  constructor(
    { context }: PDFDocument,
    private readonly layer: Layer,
  ) {
    this.context = context;
  }

  /** May be called again for a page: its own resources, which then have the first form, come before those that it was listed with. */
  draw(page: SourcePage, { form, matrix, isContent = false }: Drawing): void {
    const stem = isContent ? 'Content' : 'Watermark';
    const resources = page.node.get(resourcesKey) ?? page.inheritable.get(resourcesKey);
    const { ref, name } = this.resourcesWith(form, resources, stem);
    page.node.set(resourcesKey, ref);
    const painting = isContent ? `/${name} Do` : `${artifact} /${name} Do EMC`;
    const drawing = `q ${formatNumbers(matrix)} cm ${painting} Q\n`;
    page.node.set(contentsKey, this.contentsWith(drawing, page.node.get(contentsKey)));
  }

  private contentsWith(drawing: string, object: PDFObject | undefined): PDFRef {
    const original = this.context.lookup(object);
    const copies = this.contents.get(original) ?? new Map<string, PDFRef>();
    this.contents.set(original, copies);
    const made = copies.get(drawing) ?? this.makeContents(drawing, this.streamsOf(object));
    copies.set(drawing, made);
    return made;
  }

  private makeContents(drawing: string, streams: readonly PDFRef[]): PDFRef {
    if (this.layer === 'under') return this.array([this.stream(drawing), ...streams]);
    if (streams.length === 0) return this.array([this.stream(drawing)]);
    const { streams: content, closing } = this.isolate(streams);
    return this.array([this.stream('q\n'), ...content, this.stream(`${closing}Q\n${drawing}`)]);
  }

  /** A content that cannot be decoded is taken to be balanced: what shows nothing leaves nothing open. */
  private isolate(streams: readonly PDFRef[]): Isolated {
    const bytes = decodeContent(streams.map((ref) => this.context.lookup(ref, PDFStream)));
    if (bytes === null) return { streams, closing: '\n' };
    const { openStates, openMarks, isInText, surplus, unendedAt } = measureBalance(bytes);
    const closing = `\n${isInText ? 'ET\n' : ''}${'EMC\n'.repeat(openMarks)}${'Q\n'.repeat(openStates)}`;
    if (surplus.length === 0 && unendedAt === null) return { streams, closing };
    for (const at of surplus) bytes[at] = space;
    if (unendedAt !== null) bytes.fill(space, unendedAt);
    return { streams: [this.register(bytes)], closing };
  }

  private streamsOf(object: PDFObject | undefined): PDFRef[] {
    const value = this.context.lookup(object);
    const items = value instanceof PDFArray ? value.asArray() : [object];
    return items.flatMap((item) => {
      const stream = this.context.lookup(item);
      if (!(stream instanceof PDFStream)) return [];
      return [item instanceof PDFRef ? item : this.context.register(stream)];
    });
  }

  private array(streams: readonly PDFRef[]): PDFRef {
    return this.context.register(this.context.obj([...streams]));
  }

  private stream(content: string): PDFRef {
    const ref = this.streams.get(content) ?? this.register(Buffer.from(content, 'latin1'));
    this.streams.set(content, ref);
    return ref;
  }

  private register(content: Uint8Array): PDFRef {
    return this.context.register(this.context.stream(deflateSync(content), { Filter: 'FlateDecode' }));
  }

  /** A copy of the resources that has the form too, made once for all pages with these resources. */
  private resourcesWith(form: PDFRef, object: PDFObject | undefined, stem: string): { ref: PDFRef; name: string } {
    const value = this.context.lookup(object);
    const original = value instanceof PDFDict ? value : null;
    const copies = this.resources.get(original) ?? new Map<PDFRef, { ref: PDFRef; name: string }>();
    this.resources.set(original, copies);
    const copy = copies.get(form) ?? this.copyResources(form, original, stem);
    copies.set(form, copy);
    return copy;
  }

  private copyResources(form: PDFRef, original: PDFDict | null, stem: string): { ref: PDFRef; name: string } {
    const resources = original?.clone(this.context) ?? this.context.obj({});
    const listed = this.context.lookup(resources.get(xObjectKey));
    const xObjects = listed instanceof PDFDict ? listed.clone(this.context) : this.context.obj({});
    const name = freeName(xObjects, stem);
    xObjects.set(PDFName.of(name), form);
    resources.set(xObjectKey, xObjects);
    return { ref: this.context.register(resources), name };
  }
}

function freeName(dict: PDFDict, stem: string): string {
  let name = stem;
  for (let number = 2; dict.has(PDFName.of(name)); number += 1) name = `${stem}${number}`;
  return name;
}
