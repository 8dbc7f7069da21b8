import fc from 'fast-check';
import { type AttemptOutcome, attemptOutcomes } from './delivery.js';
import { type EndpointHealth, endpointHealthLimits as limits, nextEndpointHealth } from './endpoint-health.js';

const start = new Date('2026-01-01T00:00:00.000Z');
const dayMs = 24 * 3_600_000;
const healthy: EndpointHealth = {
  state: 'healthy',
  consecutiveFailures: 0,
  firstFailureAt: null,
  probes: 0,
  probeAt: null,
  disabledReason: null,
};

function after(milliseconds: number): Date {
  return new Date(start.getTime() + milliseconds);
}

function attempt(outcome: AttemptOutcome, isProbe = false, retryAfterMs: number | null = null) {
  return { outcome, isProbe, retryAfterMs };
}

/** The endpoint after attempts with these outcomes, a second apart, and the notices on the way. */
function run(outcomes: readonly AttemptOutcome[], from = healthy) {
  let health = from;
  const notices: string[] = [];
  outcomes.forEach((outcome, second) => {
    const step = nextEndpointHealth(health, attempt(outcome, health.state === 'failing'), after(second * 1_000));
    health = step.health;
    if (step.notice !== null) notices.push(step.notice);
  });
  return { health, notices };
}

function failing(probes = 0): EndpointHealth {
  return { ...healthy, state: 'failing', consecutiveFailures: 5, firstFailureAt: start, probes, probeAt: start };
}

describe('a healthy endpoint', () => {
  it('is failing after five failures in a row, of whatever kinds, and its account is told once (contract 4.7)', () => {
    const four: AttemptOutcome[] = ['timeout', 'server_error', 'client_error', 'dns_error'];
    expect(run(four)).toMatchObject({ health: { state: 'healthy', consecutiveFailures: 4 }, notices: [] });
    const { health, notices } = run([...four, 'redirected']);
    expect(health).toMatchObject({
      state: 'failing',
      firstFailureAt: start,
      probes: 0,
      probeAt: after(4_000 + 30_000),
    });
    expect(notices).toEqual(['endpoint.failing']);
  });

  it('starts anew with every delivery, however many fail between (contract 4.7)', () => {
    const round: AttemptOutcome[] = ['timeout', 'timeout', 'timeout', 'timeout', 'delivered'];
    const { health, notices } = run(Array.from({ length: 1_000 }, () => round).flat());
    expect(health).toEqual(healthy);
    expect(notices).toEqual([]);
  });

  it('is not blamed for what the sender did', () => {
    const own: AttemptOutcome[] = ['unknown', 'lease_lost', 'unsigned', 'address_refused'];
    expect(run(Array.from({ length: 5 }, () => own).flat())).toEqual({ health: healthy, notices: [] });
  });
});

describe('a failing endpoint', () => {
  it('is probed at growing intervals, at least as far apart as Retry-After asks', () => {
    const waits = [0, 1, 2, 3, 4, 5, 50].map((probes) => {
      const { health } = nextEndpointHealth(failing(probes), attempt('timeout', true), start);
      return ((health.probeAt?.getTime() ?? 0) - start.getTime()) / 1_000;
    });
    expect(waits).toEqual([60, 120, 240, 480, 600, 600, 600]);
    const asked = nextEndpointHealth(failing(), attempt('server_error', true, 3_600_000), start);
    expect(asked.health.probeAt).toEqual(after(3_600_000));
  });

  it('is healthy with the first delivery, and its account is told (contract 4.7)', () => {
    expect(nextEndpointHealth(failing(3), attempt('delivered', true), after(dayMs))).toEqual({
      health: healthy,
      notice: 'endpoint.recovered',
    });
  });

  it('is disabled after five days without a delivery, not after a count (contract 4.7)', () => {
    const many = { ...failing(20), consecutiveFailures: 100_000 };
    expect(nextEndpointHealth(many, attempt('timeout', true), after(5 * dayMs - 1)).health.state).toBe('failing');
    expect(nextEndpointHealth(many, attempt('timeout', true), after(5 * dayMs))).toMatchObject({
      health: { state: 'disabled', disabledReason: 'failing', probeAt: null },
      notice: 'endpoint.disabled',
    });
  });

  it('keeps its probes where they are when an attempt of before ends', () => {
    const step = nextEndpointHealth(failing(2), attempt('timeout'), after(1_000));
    expect(step).toEqual({ health: { ...failing(2), consecutiveFailures: 6 }, notice: null });
  });

  it('is probed again soon when the probe says nothing of it', () => {
    const { health } = nextEndpointHealth(failing(), attempt('unknown', true), start);
    expect(health).toEqual({ ...failing(), probeAt: after(limits.firstProbeMs) });
  });
});

describe('an endpoint', () => {
  it('that answers 410 is disabled at once (contract 4.3)', () => {
    for (const health of [healthy, failing()]) {
      expect(nextEndpointHealth(health, attempt('gone'), start)).toMatchObject({
        health: { state: 'disabled', disabledReason: 'gone', probeAt: null },
        notice: 'endpoint.disabled',
      });
    }
  });

  it('that is disabled stays so whatever comes late', () => {
    const disabled: EndpointHealth = { ...healthy, state: 'disabled', disabledReason: 'requested' };
    for (const outcome of attemptOutcomes) {
      expect(nextEndpointHealth(disabled, attempt(outcome), start)).toEqual({ health: disabled, notice: null });
    }
  });

  it('has a time for its next probe when it is failing and only then, and a notice with every change of state', () => {
    const results = fc.array(fc.record({ outcome: fc.constantFrom(...attemptOutcomes), hours: fc.nat(60) }));
    fc.assert(
      fc.property(results, (attempts) => {
        let health = healthy;
        let atMs = 0;
        for (const { outcome, hours } of attempts) {
          atMs += hours * 3_600_000;
          const step = nextEndpointHealth(health, attempt(outcome, health.state === 'failing'), after(atMs));
          expect(step.notice !== null).toBe(step.health.state !== health.state);
          expect(step.health.probeAt !== null).toBe(step.health.state === 'failing');
          expect(step.health.disabledReason !== null).toBe(step.health.state === 'disabled');
          health = step.health;
        }
      }),
    );
  });
});
