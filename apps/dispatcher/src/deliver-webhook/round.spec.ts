import { Round } from './round.js';

describe('a round of claims', () => {
  it('is over with the claim that saw all endpoints from the first on', () => {
    const round = new Round();
    expect(round.next(null, false)).toBe(true);
    expect(round.resumeAfter).toBeNull();
  });

  it('goes on behind the hundredth endpoint until the last', () => {
    const round = new Round();
    expect(round.next('endpoint-100', false)).toBe(false);
    expect(round.resumeAfter).toBe('endpoint-100');
    expect(round.next(null, false)).toBe(true);
  });

  it('that begins where the slots ran out looks at those before it too', () => {
    const round = new Round();
    expect(round.next('endpoint-100', true)).toBe(true);
    expect(round.resumeAfter).toBe('endpoint-100');
    expect(round.next(null, false)).toBe(false);
    expect(round.resumeAfter).toBeNull();
    expect(round.next('endpoint-100', false)).toBe(false);
    expect(round.next(null, false)).toBe(true);
  });
});
