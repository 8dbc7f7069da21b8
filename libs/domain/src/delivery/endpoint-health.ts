import type { DisabledReason } from '../event/endpoint-event.js';
import type { AttemptOutcome, EndpointState } from './delivery.js';
import { askedDelayMs } from './retry-schedule.js';

/** What is known of whether an endpoint can be reached. */
export interface EndpointHealth {
  readonly state: EndpointState;
  /** Attempts that failed since one was delivered. */
  readonly consecutiveFailures: number;
  /** The first of them. */
  readonly firstFailureAt: Date | null;
  /** Probes that failed since the endpoint became failing. */
  readonly probes: number;
  /** When a failing endpoint is probed next; `null` in any other state. */
  readonly probeAt: Date | null;
  /** Why a disabled endpoint is disabled; `null` in any other state. */
  readonly disabledReason: DisabledReason | null;
}

/** The times of the health of endpoints; in milliseconds. */
export interface EndpointHealthLimits {
  /** So many failures in a row make an endpoint failing. */
  readonly failures: number;
  readonly firstProbeMs: number;
  readonly longestProbeMs: number;
  /** After so long without a delivery a failing endpoint is disabled. */
  readonly disableAfterMs: number;
}

/** The limits of every endpoint. */
export const endpointHealthLimits: EndpointHealthLimits = {
  failures: 5,
  firstProbeMs: 30_000,
  longestProbeMs: 10 * 60_000,
  disableAfterMs: 5 * 24 * 3_600_000,
};

/**
 * What an attempt says of its endpoint. `nothing`: it ended for reasons of the sender, namely that it shut down, lost its lease, had no secret to sign
 * with, or may not call the address.
 */
export type EndpointEvidence = 'delivered' | 'failed' | 'gone' | 'nothing';

/** The end of an attempt as the health of its endpoint sees it. */
export interface EndpointAttempt {
  readonly outcome: AttemptOutcome;
  /** The one attempt that a failing endpoint is given at a time. */
  readonly isProbe: boolean;
  /** How long the receiver asked to wait, if it did. */
  readonly retryAfterMs: number | null;
}

/** The state of an endpoint after an attempt, and the notice that its account is due. */
export interface EndpointStep {
  readonly health: EndpointHealth;
  readonly notice: 'endpoint.failing' | 'endpoint.disabled' | 'endpoint.recovered' | null;
}

const evidenceOf: Readonly<Partial<Record<AttemptOutcome, EndpointEvidence>>> = {
  delivered: 'delivered',
  gone: 'gone',
  unknown: 'nothing',
  lease_lost: 'nothing',
  unsigned: 'nothing',
  address_refused: 'nothing',
};

/** What the outcome of an attempt says of its endpoint. */
export function endpointEvidence(outcome: AttemptOutcome): EndpointEvidence {
  return evidenceOf[outcome] ?? 'failed';
}

/**
 * The health of an endpoint after an attempt. A healthy one that fails `failures` times in a row becomes failing: it is probed, at growing intervals,
 * and healthy again with the first delivery. One that fails is disabled after `disableAfterMs` without a delivery, never for a number of
 * failures; one that answers 410 at once. A disabled one stays so.
 */
export function nextEndpointHealth(
  health: EndpointHealth,
  attempt: EndpointAttempt,
  now: Date,
  limits: EndpointHealthLimits = endpointHealthLimits,
): EndpointStep {
  if (health.state === 'disabled') return { health, notice: null };
  switch (endpointEvidence(attempt.outcome)) {
    case 'gone':
      return disabled(health, 'gone');
    case 'delivered':
      return delivered(health);
    case 'failed':
      return failed(health, attempt, now, limits);
    case 'nothing':
      return { health: attempt.isProbe ? probedAgain(health, attempt, now, limits) : health, notice: null };
  }
}

function delivered({ state }: EndpointHealth): EndpointStep {
  const health: EndpointHealth = {
    state: 'healthy',
    consecutiveFailures: 0,
    firstFailureAt: null,
    probes: 0,
    probeAt: null,
    disabledReason: null,
  };
  return { health, notice: state === 'failing' ? 'endpoint.recovered' : null };
}

function disabled(health: EndpointHealth, reason: DisabledReason): EndpointStep {
  return {
    health: { ...health, state: 'disabled', probeAt: null, disabledReason: reason },
    notice: 'endpoint.disabled',
  };
}

function failed(
  health: EndpointHealth,
  attempt: EndpointAttempt,
  now: Date,
  limits: EndpointHealthLimits,
): EndpointStep {
  const counted: EndpointHealth = {
    ...health,
    consecutiveFailures: health.consecutiveFailures + 1,
    firstFailureAt: health.firstFailureAt ?? now,
  };
  if (health.state === 'failing') return failedAgain(counted, attempt, now, limits);
  if (counted.consecutiveFailures < limits.failures) return { health: counted, notice: null };
  return {
    health: probedAgain({ ...counted, state: 'failing', probes: 0 }, attempt, now, limits),
    notice: 'endpoint.failing',
  };
}

/** Attempts that were under way when the endpoint became failing do not move its probes. */
function failedAgain(
  health: EndpointHealth,
  attempt: EndpointAttempt,
  now: Date,
  limits: EndpointHealthLimits,
): EndpointStep {
  const failingMs = now.getTime() - (health.firstFailureAt ?? now).getTime();
  if (failingMs >= limits.disableAfterMs) return disabled(health, 'failing');
  if (!attempt.isProbe) return { health, notice: null };
  return { health: probedAgain({ ...health, probes: health.probes + 1 }, attempt, now, limits), notice: null };
}

function probedAgain(
  health: EndpointHealth,
  { retryAfterMs }: EndpointAttempt,
  now: Date,
  { firstProbeMs, longestProbeMs }: EndpointHealthLimits,
): EndpointHealth {
  if (health.state !== 'failing') return health;
  const backOffMs = Math.min(firstProbeMs * 2 ** Math.min(health.probes, 30), longestProbeMs);
  return { ...health, probeAt: new Date(now.getTime() + Math.max(backOffMs, askedDelayMs(retryAfterMs))) };
}
