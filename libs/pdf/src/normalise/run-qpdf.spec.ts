import { makeDocument } from '../../../../test/support/documents/make-document.js';
import { inflatingPdf } from '../../../../test/support/pdf-samples.js';
import { normaliseDocument } from './normalise-document.js';
import { runQpdf } from './run-qpdf.js';

describe('qpdf in WebAssembly', () => {
  it('writes what it was asked for, and each run knows nothing of the one before', async () => {
    const [one, other] = [await makeDocument('A', 1), await makeDocument('B', 2)];
    expect((await runQpdf(['/in', '/output'], { '/in': one })).output?.includes('%PDF-')).toBe(true);
    const { exitCode, printed } = await runQpdf(['--show-npages', '/other'], { '/other': other });
    expect({ exitCode, printed }).toEqual({ exitCode: 0, printed: ['2'] });
    expect(await runQpdf(['--show-npages', '/in'], {})).toMatchObject({
      exitCode: 2,
      printed: ['qpdf: open /in: No such file or directory'],
    });
  });

  it('leaves the console and the exit code of this process alone', async () => {
    const before = process.exitCode;
    const { exitCode, printed } = await runQpdf(['/in', '/output'], { '/in': Buffer.from('%PDF-1.7 nothing') });
    expect({ exitCode, printed }).toEqual({ exitCode: 2, printed: ["qpdf: /in: can't find startxref"] });
    expect(process.exitCode).toBe(before);
  });

  it('sees no file of this machine', async () => {
    const { printed } = await runQpdf([`@${process.execPath}`, '/etc/passwd', '/output'], {});
    expect(printed.join()).toMatch(/No such file/);
  });

  it('is refused memory beyond the heap of this process, and says so', async () => {
    const bytes = Buffer.from(inflatingPdf(2 ** 30));
    const limited = await runQpdf(['/in', '/output'], { '/in': bytes }, 100 * 2 ** 20);
    expect(limited).toMatchObject({ outOfMemory: true });
  });

  it('is not trusted with what it cannot read', async () => {
    const options = { password: null, mayBeEncrypted: true };
    expect(await normaliseDocument(Buffer.from('%PDF-1.7\nnothing'), options)).toEqual({ outcome: 'unreadable' });
  });
});
