import { type Upload, uploadBody } from './upload.js';

describe('an upload', () => {
  async function sent(upload: Upload) {
    const body = uploadBody('file', [upload]);
    const { content } = await body.open({ onPiece: () => undefined, onUnreadable: () => undefined });
    const form = await new Response(content, { headers: { 'content-type': body.contentType } }).formData();
    const { name, type } = form.get('file') as File;
    return { name, type };
  }

  const bytes = new Uint8Array(3);

  it('has the name and the type that it is given', async () => {
    const content = new File([bytes], 'a.pdf', { type: 'image/png' });
    expect(await sent({ content, name: 'b.txt', mediaType: 'text/plain' })).toEqual({
      name: 'b.txt',
      type: 'text/plain',
    });
  });

  it('has those of its file otherwise', async () => {
    expect(await sent({ content: new File([bytes], 'a.png', { type: 'image/png' }) })).toEqual({
      name: 'a.png',
      type: 'image/png',
    });
    const path = new URL(import.meta.url).pathname;
    expect((await sent({ content: { path } })).name).toBe('upload.spec.ts');
  });

  it('is a PDF when nothing is known of it', async () => {
    expect(await sent({ content: bytes })).toEqual({ name: 'document.pdf', type: 'application/pdf' });
  });
});
