import { assembleDocument } from '../../../../test/support/documents/assemble-document.js';
import { describeDocument } from '../../../../test/support/documents/describe-document.js';
import { addAttachments } from '../../../../test/support/documents/make-attachments.js';
import { makeDocument } from '../../../../test/support/documents/make-document.js';

const made = makeDocument('two', 2, addAttachments({ 'a.txt': 'a', 'b.txt': 'bb' }));

describe('the attachments of a document in parts', () => {
  it('go into none of them, and are warned of', async () => {
    const { bytes, warnings } = await assembleDocument([{ bytes: await made, pages: [0] }], { isPart: true });
    expect((await describeDocument(bytes)).attachments.files).toEqual({});
    expect(warnings).toEqual(['attachments_dropped']);
  });

  it('stay where a part is the whole', async () => {
    const { bytes, warnings } = await assembleDocument([{ bytes: await made }], { isPart: true });
    expect((await describeDocument(bytes)).attachments.files).toEqual({ 'a.txt': 1, 'b.txt': 2 });
    expect(warnings).toEqual([]);
  });
});
