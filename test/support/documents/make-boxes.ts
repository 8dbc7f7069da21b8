import { type PDFDocument, PDFName, type PDFNumber, type PDFObject } from 'pdf-lib';
import { type Addition, makeDocument } from './make-document.js';
import { pageTreeRoot } from './make-shared-book.js';

/** The boxes and the rotation of a page. Lower left x and y, upper right x and y, in units of the page. */
export interface PageBoxes {
  readonly mediaBox: readonly [number, number, number, number];
  readonly cropBox?: readonly [number, number, number, number];
  readonly rotate?: 0 | 90 | 180 | 270 | -90 | 450;
  readonly userUnit?: number;
}

/** Gives a page (0-based) boxes of its own. */
export function addBoxes(page: number, boxes: PageBoxes): Addition {
  return (document) => {
    for (const [key, value] of boxEntries(document, boxes)) document.getPage(page).node.set(PDFName.of(key), value);
  };
}

/** One page with these boxes. Rows 27 and 28 of the research. */
export async function makeBoxedPage(name: string, boxes: PageBoxes): Promise<Uint8Array> {
  return makeDocument(name, 1, addBoxes(0, boxes));
}

/**
 * Three pages that inherit boxes, rotation and resources from the root of the page tree; the second has a rotation of its own, the third a crop
 * box. The origin of the page lies outside of what is seen.
 */
export async function makeInheritedBoxes(name: string): Promise<Uint8Array> {
  return makeDocument(name, 3, (document) => {
    const { context } = document;
    const root = pageTreeRoot(document);
    const [first] = document.getPages();
    const resources = first?.node.get(PDFName.of('Resources'));
    if (resources !== undefined) root.set(PDFName.of('Resources'), resources);
    const boxes = { mediaBox: [-20, 60, 400, 460], cropBox: [10, 100, 310, 420], rotate: 90 } as const;
    for (const [key, value] of boxEntries(document, boxes)) root.set(PDFName.of(key), value);
    for (const { node } of document.getPages())
      for (const key of ['Resources', 'MediaBox', 'CropBox', 'Rotate']) node.delete(PDFName.of(key));
    document.getPage(1).node.set(PDFName.of('Rotate'), context.obj(0));
    document.getPage(2).node.set(PDFName.of('CropBox'), context.obj([10, 300, 210, 400]));
  });
}

function boxEntries({ context }: PDFDocument, boxes: PageBoxes): Array<readonly [string, PDFObject]> {
  const { mediaBox, cropBox, rotate, userUnit } = boxes;
  const number = (value: number): PDFNumber => context.obj(value);
  return [
    ['MediaBox', context.obj([...mediaBox])],
    ...(cropBox === undefined ? [] : [['CropBox', context.obj([...cropBox])] as const]),
    ...(rotate === undefined ? [] : [['Rotate', number(rotate)] as const]),
    ...(userUnit === undefined ? [] : [['UserUnit', number(userUnit)] as const]),
  ];
}
