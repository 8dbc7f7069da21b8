import { createHash } from 'node:crypto';
import { PDFDict, PDFDocument, PDFRawStream } from 'pdf-lib';
import { type DescribedAttachments, describeAttachments } from './describe-attachments.js';
import { type DescribedDestinations, findDestinations } from './describe-destinations.js';
import { type DescribedField, describeForm } from './describe-form.js';
import { describeLabels } from './describe-labels.js';
import { type DescribedLayers, describeLayers } from './describe-layers.js';
import { type DescribedLink, describeLinks } from './describe-links.js';
import { type DescribedBookmark, describeOutline } from './describe-outline.js';
import { type DescribedStructure, describeStructure } from './describe-structure.js';
import { arrayAt, dictsIn, nameAt, textOf } from './objects.js';

/** What a document has besides what is drawn on its pages. */
export interface DescribedDocument {
  readonly pages: number;
  readonly bytes: number;
  readonly fields: readonly DescribedField[];
  readonly outline: readonly DescribedBookmark[];
  readonly destinations: DescribedDestinations;
  /** One for each page; `null` without labels. */
  readonly labels: readonly string[] | null;
  readonly attachments: DescribedAttachments;
  readonly structure: DescribedStructure | null;
  readonly layers: DescribedLayers | null;
  /** For each page its links. */
  readonly links: ReadonlyArray<readonly DescribedLink[]>;
  /** For each page the subtypes of its annotations, links and widgets among them. */
  readonly annotations: ReadonlyArray<readonly string[]>;
  readonly info: Readonly<Record<string, string>>;
  /** How many streams are there again, with the same dictionary and the same bytes. */
  readonly duplicateStreams: number;
}

/** Describes a document that pdf-lib can open; it shares no code with the product, and throws where a tree of the document has a loop. */
export async function describeDocument(bytes: Uint8Array): Promise<DescribedDocument> {
  const document = await PDFDocument.load(bytes, { updateMetadata: false, throwOnInvalidObject: true });
  const destinations = findDestinations(document);
  return {
    pages: document.getPageCount(),
    bytes: bytes.byteLength,
    fields: describeForm(document),
    outline: describeOutline(document, destinations),
    destinations: destinations.named,
    labels: describeLabels(document),
    attachments: describeAttachments(document),
    structure: describeStructure(document),
    layers: describeLayers(document),
    links: describeLinks(document, destinations),
    annotations: annotationsOf(document),
    info: infoOf(document),
    duplicateStreams: duplicateStreams(document),
  };
}

function annotationsOf(document: PDFDocument): string[][] {
  return document
    .getPages()
    .map(({ node }) =>
      dictsIn(arrayAt(node, 'Annots'), document.context).map(({ dict }) => nameAt(dict, 'Subtype') ?? ''),
    );
}

function infoOf({ context }: PDFDocument): Record<string, string> {
  const info = context.lookup(context.trailerInfo.Info);
  if (!(info instanceof PDFDict)) return {};
  return Object.fromEntries(
    info.entries().map(([key, value]) => [key.decodeText(), textOf(context.lookup(value)) ?? '']),
  );
}

function duplicateStreams({ context }: PDFDocument): number {
  const seen = new Set<string>();
  let streams = 0;
  for (const [, object] of context.enumerateIndirectObjects()) {
    if (!(object instanceof PDFRawStream)) continue;
    streams += 1;
    seen.add(createHash('sha256').update(object.dict.toString()).update(object.contents).digest('hex'));
  }
  return streams - seen.size;
}
