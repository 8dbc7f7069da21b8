import type { SeededRandom } from './random.js';

/** What a receiver does with a request: answers after a while, never answers, or cuts the connection. */
export type Conduct =
  | { readonly kind: 'answer'; readonly status: number; readonly delayMs: number }
  | { readonly kind: 'hang' }
  | { readonly kind: 'cut' };

/** The receivers of the scenario, by their endpoint's name, and the events that each selects. */
export const receiverPatterns = {
  healthy: ['job.*', 'batch.*'],
  selective: ['batch.completed'],
  slow: ['job.*', 'batch.*'],
  recovering: ['job.*', 'batch.*'],
  hanging: ['job.*', 'batch.*'],
  closing: ['job.*', 'batch.*'],
} as const satisfies Readonly<Record<string, readonly string[]>>;

export type ReceiverName = keyof typeof receiverPatterns;

export const receiverNames = Object.keys(receiverPatterns) as ReceiverName[];

const mostQuickMs = 30;
const leastSlowMs = 300;
const mostSlowMs = 1_500;
const hangShare = 0.2;
const cutShare = 0.1;
/** `recovering` answers 500 for the first part of each period. */
const downMs = 8_000;
const periodMs = 30_000;

/** @param elapsedMs since the receiver was opened */
export function conductOf(name: ReceiverName, elapsedMs: number, random: SeededRandom): Conduct {
  const quick = wellConduct(random);
  switch (name) {
    case 'slow':
      return { ...quick, delayMs: random.integer(leastSlowMs, mostSlowMs) };
    case 'recovering':
      return elapsedMs % periodMs < downMs ? { ...quick, status: 500 } : quick;
    case 'hanging':
      return random.chance(hangShare) ? { kind: 'hang' } : quick;
    case 'closing':
      return random.chance(cutShare) ? { kind: 'cut' } : quick;
    case 'healthy':
    case 'selective':
      return quick;
  }
}

/** Takes everything, soon. */
export function wellConduct(random: SeededRandom): Extract<Conduct, { kind: 'answer' }> {
  return { kind: 'answer', status: 200, delayMs: random.integer(1, mostQuickMs) };
}
