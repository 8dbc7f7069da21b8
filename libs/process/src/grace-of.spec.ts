import { graceOf } from './grace-of.js';

describe('the grace of a process', () => {
  it.each([1_000, 4_000, 25_000, 600_000])(
    'of %d ms is divided without rest, most of it for running work',
    (graceMs) => {
      const { drainMs, handBackMs, closeMs } = graceOf(graceMs);
      expect(drainMs + handBackMs + closeMs).toBe(graceMs);
      expect(drainMs).toBeGreaterThanOrEqual(graceMs * 0.6);
      expect(handBackMs).toBeGreaterThan(0);
      expect(closeMs).toBeGreaterThanOrEqual(handBackMs);
    },
  );
});
