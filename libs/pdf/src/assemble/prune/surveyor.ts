import type { PDFContext, PDFObject, PDFStream } from 'pdf-lib';
import { PDFNull, PDFRawStream, PDFRef } from 'pdf-lib';
import { decodeStream } from '../../content/decode-stream.js';
import type { SourcePage } from '../../document/page-tree/list-pages.js';
import { findNames } from './find-names.js';
import { NamesUsed } from './names-used.js';
import { type Painter, painterOf, painterOfPage, withResources } from './painter.js';
import { ResourceDraft } from './resource-draft.js';
import type { Survey, SurveyedPart } from './survey.js';
import { Unclear } from './unclear.js';

/** Contents that decode to more are not looked into. */
const mostContentBytes = 32 * 2 ** 20;
/** The same for all contents of a source together. */
const mostSourceBytes = 512 * 2 ** 20;
/** Deflate packs a thousandfold at best. */
const mostRatio = 1_032;
/** Forms within forms; sound documents stay far below it. */
const mostDepth = 50;

/**
 * Finds out what the pages of one source use of their resources. Each stream is read once. Where anything is unclear (a stream cannot be decoded, a form
 * draws itself) nothing is said of what draws with it either, so that it keeps all.
 */
export class Surveyor {
  private readonly scans = new Map<PDFStream, NamesUsed | null>();
  /** `null` for what is unclear, and for what is being surveyed. */
  private readonly surveys = new Map<PDFObject, Survey | null>();
  private bytesLeft = mostSourceBytes;

  constructor(private readonly context: PDFContext) {}

  /** `null` if it cannot be told what the page uses. */
  surveyPage(page: SourcePage): Survey | null {
    try {
      return this.once(page.node, 0, () => painterOfPage(page));
    } catch (error) {
      if (error instanceof Unclear) return null;
      throw error;
    }
  }

  private surveyPart(part: PDFObject, depth: number): Omit<SurveyedPart, 'ref'> | undefined {
    const value = this.context.lookup(part);
    if (value instanceof PDFRef || depth > mostDepth) throw new Unclear();
    const painter = painterOf(value);
    if (value === undefined || painter === undefined) return undefined;
    const survey = this.once(value, depth, () => painter);
    return { survey, substitute: survey.pruned === null ? null : withResources(value, survey.pruned) };
  }

  private once(object: PDFObject, depth: number, painter: () => Painter): Survey {
    let survey = this.surveys.get(object);
    if (survey === undefined) {
      this.surveys.set(object, null);
      survey = this.survey(painter(), depth);
      this.surveys.set(object, survey);
    }
    if (survey === null) throw new Unclear();
    return survey;
  }

  private survey({ contents, resources, attached }: Painter, depth: number): Survey {
    const draft = new ResourceDraft(resources, (part) => this.surveyPart(part, depth + 1));
    for (const content of contents) draft.use(this.scan(content));
    for (const form of attached) draft.use(this.surveyPart(form, depth + 1)?.survey.open ?? new NamesUsed());
    return draft.finish();
  }

  private scan(content: PDFObject | undefined): NamesUsed {
    if (content === undefined || content === PDFNull) return new NamesUsed();
    if (!(content instanceof PDFRawStream)) throw new Unclear();
    let names = this.scans.get(content);
    if (names === undefined) this.scans.set(content, (names = this.read(content)));
    if (names === null) throw new Unclear();
    return names;
  }

  private read(content: PDFRawStream): NamesUsed | null {
    const mostBytes = Math.min(mostContentBytes, this.bytesLeft);
    const bytes = decodeStream(content, { mostBytes, damaged: 'refuse' });
    this.bytesLeft -= bytes?.length ?? Math.min(mostBytes, content.contents.length * mostRatio);
    return bytes === null ? null : findNames(bytes);
  }
}
