import type { PDFDict, PDFObject } from 'pdf-lib';
import { PDFName, PDFRef } from 'pdf-lib';
import { dictAt } from '../../document/objects/read-entry.js';
import { categories, type Category, NamesUsed, type Use } from './names-used.js';
import { drawnBy } from './painter.js';
import type { Survey, SurveyedPart } from './survey.js';
import { Unclear } from './unclear.js';

/** What is used without being named (ISO 32000-1, 8.6.5.6). */
const defaultColorSpaces = ['DefaultGray', 'DefaultRGB', 'DefaultCMYK'];

/** What is found of something that may draw; `undefined` if it does not. */
export type SurveyPart = (part: PDFObject) => Omit<SurveyedPart, 'ref'> | undefined;

/** The resources of something that draws, gathered name by name. */
export class ResourceDraft {
  private readonly kept = new Map<Category, PDFDict>();
  private readonly seen = new NamesUsed();
  private readonly open = new NamesUsed();
  private readonly parts: SurveyedPart[] = [];
  private readonly waiting: (readonly [Use, string])[] = [];

  constructor(
    private readonly resources: PDFDict | undefined,
    private readonly surveyPart: SurveyPart,
  ) {
    for (const name of defaultColorSpaces)
      if (this.find('ColorSpace', name) !== undefined) this.keep('ColorSpace', name);
  }

  /** Takes what these names mean, and what is named by what they mean. @throws Unclear */
  use(names: NamesUsed): void {
    this.await(names);
    for (let next = this.waiting.pop(); next !== undefined; next = this.waiting.pop()) this.take(...next);
  }

  finish(): Survey {
    const { resources, open, parts } = this;
    const changed = categories.filter(
      (category) => this.sizeOf(category) !== (this.kept.get(category)?.keys().length ?? 0),
    );
    if (resources === undefined || changed.length === 0) return { pruned: null, open, parts };
    const pruned = resources.clone();
    for (const category of changed) {
      const kept = this.kept.get(category);
      if (kept === undefined) pruned.delete(PDFName.of(category));
      else pruned.set(PDFName.of(category), kept);
    }
    return { pruned, open, parts };
  }

  private await(names: NamesUsed): void {
    for (const [use, name] of names.entries()) if (this.seen.add(use, name)) this.waiting.push([use, name]);
    if (this.seen.isFull || this.open.isFull) throw new Unclear();
  }

  private take(use: Use, name: string): void {
    const found = (use === 'any' ? categories : [use]).filter((category) => this.keep(category, name));
    if (found.length === 0 || use === 'any') this.open.add(use, name);
  }

  /** Returns whether there is something of this name. */
  private keep(category: Category, name: string): boolean {
    const key = this.find(category, name);
    const from = dictAt(this.resources, category);
    if (key === undefined || from === undefined) return false;
    let kept = this.kept.get(category);
    if (kept === undefined) this.kept.set(category, (kept = from.context.obj({})));
    if (kept.has(key)) return true;
    kept.set(key, from.get(key) as PDFObject);
    for (const part of drawnBy(category, from, key)) this.follow(part);
    return true;
  }

  private follow(part: PDFObject): void {
    const found = this.surveyPart(part);
    if (found === undefined) return;
    if (part instanceof PDFRef) this.parts.push({ ref: part, ...found });
    for (const [use, name] of found.survey.open.entries()) this.open.add(use, name);
    this.await(found.survey.open);
  }

  /** The key that contents mean by a name: as they spell it, or with all its escapes (`#2F`) read. */
  private find(category: Category, name: string): PDFName | undefined {
    const dict = dictAt(this.resources, category);
    const read = name.replace(/#([\dA-Fa-f]{2})/g, (_, hex: string) => `#${hex.toUpperCase()}`);
    return [name, read].map((spelling) => PDFName.of(spelling)).find((key) => dict?.has(key));
  }

  private sizeOf(category: Category): number {
    return dictAt(this.resources, category)?.keys().length ?? 0;
  }
}
