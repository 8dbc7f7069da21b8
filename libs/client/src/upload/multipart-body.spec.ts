import { multipartBody, partHead } from './multipart-body.js';

describe('a multipart body', () => {
  const silent = { onPiece: () => undefined, onUnreadable: () => undefined };
  const bytes = new Uint8Array([0, 13, 10, 45, 45, 255]);
  const file = (source: Parameters<typeof multipartBody>[1][number]['source'], fileName = 'a.pdf') => ({
    name: 'files',
    fileName,
    mediaType: 'application/pdf',
    source,
  });

  async function read(body: ReturnType<typeof multipartBody>) {
    const { content, sizeBytes } = await body.open(silent);
    const sent = new Uint8Array(await new Response(content).arrayBuffer());
    const form = await new Response(sent, { headers: { 'content-type': body.contentType } }).formData();
    return { sent, sizeBytes, form };
  }

  it('is read by others as fields and files, in their order', async () => {
    const fields = [{ name: 'operation', value: 'merge' }];
    const body = multipartBody(fields, [file(bytes), file(new Blob(['second']), 'ä "b".pdf')], 'bound');
    const { form, sent, sizeBytes } = await read(body);
    expect(form.get('operation')).toBe('merge');
    const files = form.getAll('files') as File[];
    expect(files.map(({ name, type }) => [name, type])).toEqual([
      ['a.pdf', 'application/pdf'],
      ['ä "b".pdf', 'application/pdf'],
    ]);
    expect(new Uint8Array(await (files[0] as File).arrayBuffer())).toEqual(bytes);
    expect(await files[1]?.text()).toBe('second');
    expect(sizeBytes).toBe(sent.byteLength);
  });

  it('is the same each time it is opened', async () => {
    const body = multipartBody([{ name: 'a', value: 'b' }], [file(bytes)], 'bound');
    expect((await read(body)).sent).toEqual((await read(body)).sent);
  });

  it('has no size when one of its sources has none', async () => {
    const open = async function* () {
      yield bytes;
    };
    expect((await read(multipartBody([], [file(bytes), file({ open })], 'bound'))).sizeBytes).toBeNull();
    expect(
      (await read(multipartBody([], [file({ open, sizeBytes: bytes.byteLength })], 'bound'))).sizeBytes,
    ).not.toBeNull();
  });

  it('can be repeated unless one of its sources cannot', () => {
    const stream = new Blob(['x']).stream();
    const isRepeatable = (...sources: Parameters<typeof file>[0][]) =>
      multipartBody(
        [],
        sources.map((source) => file(source)),
        'bound',
      ).isRepeatable;
    expect(isRepeatable(bytes, new Blob(['x']), { path: 'a' }, { open: () => stream })).toBe(true);
    expect(isRepeatable(bytes, { stream })).toBe(false);
  });

  it('tells of each piece that is taken, and of a source that cannot be read', async () => {
    let pieces = 0;
    const unreadable: unknown[] = [];
    const watcher = {
      onPiece: () => void (pieces += 1),
      onUnreadable: (cause: unknown) => void unreadable.push(cause),
    };
    const broken = async function* () {
      yield bytes;
      throw new Error('the disk is gone');
    };
    const { content } = await multipartBody([], [file({ open: broken })], 'bound').open(watcher);
    await expect(new Response(content).arrayBuffer()).rejects.toThrow('the disk is gone');
    expect(pieces).toBe(1);
    expect(unreadable).toEqual([new Error('the disk is gone')]);
  });

  it('lets no name break out of its line', () => {
    const head = partHead('b', 'files', { fileName: 'a"\r\nx: y', mediaType: 'a/b\r\nx: y' });
    expect(head.split('\r\n')).toEqual([
      '--b',
      'content-disposition: form-data; name="files"; filename="a%22%0D%0Ax: y"',
      'content-type: a/bx: y',
      '',
      '',
    ]);
  });
});
