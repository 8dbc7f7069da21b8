import { PDFHexString, PDFName, PDFNumber, PDFString } from 'pdf-lib';
import { type Addition, makeDocument } from './make-document.js';

/** Bytes that a signature may have; it is made of zeros here. */
const signatureBytes = 64;
/** Stands for a position in the file until that is known, and is as long as any. */
const unknownPosition = 9_999_999_999;

/** A form with one field that is signed: a signature over positions that are not known yet. */
function addSignature(): Addition {
  return (document) => {
    const { context, catalog } = document;
    const signature = context.obj({ Type: 'Sig', Filter: 'Adobe.PPKLite', SubFilter: 'adbe.pkcs7.detached' });
    signature.set(PDFName.of('ByteRange'), context.obj([0, ...Array<number>(3).fill(unknownPosition)]));
    signature.set(PDFName.of('Contents'), PDFHexString.of('00'.repeat(signatureBytes)));
    signature.set(PDFName.of('Reason'), PDFString.of('I approve'));
    const { ref, node } = document.getPage(0);
    const place = { Type: 'Annot', Subtype: 'Widget', Rect: [0, 0, 0, 0], F: PDFNumber.of(132), P: ref };
    const field = { FT: 'Sig', T: PDFString.of('approval'), V: context.register(signature) };
    const widget = context.register(context.obj({ ...place, ...field }));
    node.addAnnot(widget);
    catalog.set(PDFName.of('AcroForm'), context.obj({ SigFlags: 3, Fields: [widget] }));
  };
}

/** A page with a signature whose byte range is that of the file; its certificate is none. Row 43 of the research. */
export async function makeSigned(name: string): Promise<Uint8Array> {
  const bytes = Buffer.from(await makeDocument(name, 1, addSignature()));
  const start = bytes.indexOf('<' + '00'.repeat(signatureBytes) + '>');
  const end = start + signatureBytes * 2 + 2;
  const range = [start, end, bytes.byteLength - end];
  for (const position of range) {
    const width = String(unknownPosition).length;
    bytes.write(String(position).padEnd(width), bytes.indexOf(String(unknownPosition)), 'latin1');
  }
  return bytes;
}
