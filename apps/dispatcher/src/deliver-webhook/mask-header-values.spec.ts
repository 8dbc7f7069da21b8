import { maskHeaderValues } from './mask-header-values.js';

describe('the answer of a receiver', () => {
  it('is kept without the values of the headers that were sent to it (contract 4.1)', () => {
    const values = ['Bearer abcdef', 'abcdef', 'say "please"', 'on'];
    expect(maskHeaderValues('{"authorization":"Bearer abcdef","x":"say \\"please\\"","y":"on"} abcdef', values)).toBe(
      '{"authorization":"***","x":"***","y":"on"} ***',
    );
  });

  it('is kept as it is when it shows none', () => {
    expect(maskHeaderValues('ok', [])).toBe('ok');
    expect(maskHeaderValues('ok', ['something else'])).toBe('ok');
  });
});
