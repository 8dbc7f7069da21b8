import { prefersDocument } from './prefers-document.js';

describe('prefersDocument', () => {
  it.each([
    'application/pdf',
    'Application/PDF',
    'application/pdf, application/json;q=0.9',
    'application/json; q=0.5, application/pdf; q=0.8',
    'application/pdf, */*',
    'application/pdf;version=1.7, */*;q=0.1',
  ])('sends the document for %s (contract 1.14)', (accept) =>
    expect(prefersDocument(accept, 'application/pdf')).toBe(true),
  );

  it.each([
    undefined,
    '',
    '*/*',
    'application/*',
    'application/json',
    'application/json, application/pdf',
    'application/json, application/pdf;q=0.1',
    'application/pdf;q=0',
    'application/pdf;q=0.5, */*',
    'image/png',
  ])('sends JSON for %p (contract 1.14)', (accept) => expect(prefersDocument(accept, 'application/pdf')).toBe(false));
});
