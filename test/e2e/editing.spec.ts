import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { JobView } from '#libs/domain';
import sharp from 'sharp';
import type { ApiAnswer, ApiClient } from '../support/api-client.js';
import { checkWithQpdf, sound } from '../support/documents/check-with-qpdf.js';
import { makeDocument } from '../support/documents/make-document.js';
import { readWithPdfium } from '../support/documents/read-with-pdfium.js';
import { Service, startTimeoutMs } from './service.js';

const boldFont = '@expo-google-fonts/noto-sans/700Bold/NotoSans_700Bold.ttf';

describe('a job that edits one document', () => {
  const rule = (title: string, check: () => Promise<void>) => it(title, check, 30_000);
  let service: Service;
  let client: ApiClient;
  let document: Uint8Array;

  beforeAll(async () => {
    [service, document] = await Promise.all([Service.start({ apis: 1 }), makeDocument('edited', 3)]);
    client = await service.newAccount();
  }, startTimeoutMs);

  afterAll(() => service?.stop(), 30_000);

  function submit(operation: string, options: object, ...others: Uint8Array[]): Promise<ApiAnswer> {
    const files = [document, ...others].map((bytes, index) => ({ name: `${index}.bin`, bytes }));
    return client.submitFiles(files, { operation, options });
  }

  async function ended(operation: string, options: object, ...others: Uint8Array[]): Promise<JobView> {
    const accepted = await submit(operation, options, ...others);
    expect(accepted.status).toBe(202);
    return client.endedJob(accepted.json<JobView>().id);
  }

  rule('turns pages, and counts those that it turns', async () => {
    const job = await ended('rotate', { angle: 90, pages: '1,3' });
    expect(job).toMatchObject({ state: 'completed', warnings: [], progress: { done: 2, total: 2, unit: 'pages' } });
    const { pages } = await readWithPdfium((await client.download(job.id)).body);
    expect(pages.map(({ width }) => width)).toEqual([400, 300, 400]);
  });

  rule('draws a text in a font, an image and a page that come with it', async () => {
    const font = await readFile(createRequire(import.meta.url).resolve(boldFont));
    const image = await sharp({ create: { width: 60, height: 40, channels: 4, background: '#00f8' } })
      .png()
      .toBuffer();
    const drawn: ReadonlyArray<readonly [object, Uint8Array]> = [
      [{ text: 'Draft', font: { input: 1 } }, font],
      [{ image: { input: 1 } }, image],
      [{ pdf: { input: 1 } }, await makeDocument('stamp', 1)],
    ];
    for (const [options, input] of drawn) {
      const job = await ended('watermark', options, input);
      expect(job).toMatchObject({ state: 'completed', error: null, progress: { done: 3, total: 3, unit: 'pages' } });
      expect(await checkWithQpdf((await client.download(job.id)).body)).toEqual(sound);
    }
  });

  rule('fails for good with a reason that names what is at fault', async () => {
    expect(await ended('watermark', { text: 'Draft 漢' })).toMatchObject({
      state: 'failed',
      attempt: 1,
      error: { code: 'unsupported_glyph', message: expect.stringContaining('"漢" (U+6F22)'), retryable: false },
    });
    expect(await ended('watermark', { image: { input: 1 } }, Buffer.from('no image'))).toMatchObject({
      error: { code: 'unsupported_image', input: 1 },
    });
    expect(await ended('watermark', { text: 'Draft', font: { input: 1 } }, Buffer.from('no font'))).toMatchObject({
      error: { code: 'unsupported_font', input: 1 },
    });
    expect(await ended('rotate', { angle: 90, pages: '4' })).toMatchObject({
      error: { code: 'page_out_of_range', input: 0 },
    });
  });

  rule('is refused when its options and its inputs do not fit', async () => {
    const refusals: ReadonlyArray<readonly [ApiAnswer, string]> = [
      [await submit('watermark', { image: { input: 1 } }), '/options/image/input'],
      [await submit('watermark', { text: 'Draft' }, document), '/inputs/1'],
      [await submit('watermark', { image: { input: 0 } }, document), '/options/image/input'],
      [await submit('watermark', {}), '/options'],
      [await submit('rotate', { angle: 45 }), '/options/angle'],
      [await submit('rotate', { angle: 90, pages: '0' }), '/options/pages'],
      [await submit('rotate', { angle: 90 }, document), '/inputs'],
    ];
    for (const [answer, pointer] of refusals)
      expect({ status: answer.status, errors: answer.json<{ errors: unknown }>().errors }).toEqual({
        status: 400,
        errors: [{ pointer, detail: expect.any(String) }],
      });
  });
});
