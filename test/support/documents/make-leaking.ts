import { PDFName } from 'pdf-lib';
import { type Addition, makeDocument } from './make-document.js';

/** What a content stream leaves behind it, by a name for it. */
const leaks = {
  /** The state is saved twice and never restored, halved and moved. */
  saved: 'q q 0.5 0 0 0.5 100 50 cm 1 0 0 rg',
  /** The coordinates are turned upside down for what follows. */
  turned: '-1 0 0 -1 300 400 cm',
  /** Nothing outside of this corner is drawn from here on. */
  clipped: '0 0 10 10 re W n',
  /** More is restored than was saved. */
  restored: 'Q Q Q',
  /** What follows is white, invisible text. */
  invisible: '1 1 1 rg 1 1 1 RG 3 Tr',
} as const;

export type Leak = keyof typeof leaks;
export const leakNames = Object.keys(leaks) as readonly Leak[];

/** Has the content of a page (0-based) end in a state of its graphics that it should not leave. */
export function addLeak(page: number, leak: Leak): Addition {
  return (document) => {
    const { context } = document;
    const { node } = document.getPage(page);
    node.addContentStream(context.register(context.stream(`${leaks[leak]}\n`)));
    node.set(PDFName.of('Group'), context.obj({ S: 'Transparency', CS: 'DeviceRGB' }));
  };
}

/** A page whose content leaks. What is drawn over it has to stand where it would without. */
export async function makeLeaking(name: string, leak: Leak): Promise<Uint8Array> {
  return makeDocument(name, 1, addLeak(0, leak));
}
