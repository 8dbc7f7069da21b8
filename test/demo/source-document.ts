import { PDFDocument, rgb, StandardFonts } from 'pdf-lib';

const paper = { width: 595, height: 842 };
const linesOfAPage = 8;

/** A PDF of many pages of text and drawings, as a report has them. */
export async function sourceDocument(title: string, pages: number): Promise<Uint8Array> {
  const document = await PDFDocument.create();
  document.setTitle(title);
  const font = await document.embedFont(StandardFonts.Helvetica);
  for (let number = 1; number <= pages; number += 1) {
    const page = document.addPage([paper.width, paper.height]);
    page.drawText(`${title}, page ${number}`, { x: 60, y: 760, size: 22, font });
    for (let line = 0; line < linesOfAPage; line += 1) {
      const y = 700 - line * 80;
      page.drawText('What was asked for once is done once.', { x: 60, y, size: 14, font });
      page.drawLine({ start: { x: 60, y: y - 8 }, end: { x: 535, y: y - 8 }, thickness: 1, color: rgb(0.6, 0.6, 0.8) });
    }
  }
  return document.save();
}
