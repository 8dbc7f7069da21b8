import type { JobRetryAdvice } from './job-errors.js';
import type { RetryAdvice } from './request-errors.js';

/** What a client does: in a few words, for tables, and in a sentence. */
export interface Advice {
  readonly short: string;
  readonly sentence: string;
}

/** What each advice of the catalogue says. */
export const adviceTexts: Readonly<Record<RetryAdvice | JobRetryAdvice, Advice>> = {
  'same-key': {
    short: 'the same request, same key',
    sentence: 'Repeat the same request with the same Idempotency-Key, after Retry-After where there is one.',
  },
  fix: {
    short: 'the corrected request, same key',
    sentence:
      'Correct the request before it is sent again. It may keep its Idempotency-Key: a refused request leaves its key free.',
  },
  'new-key': {
    short: 'a new key',
    sentence: 'Send the request under a new Idempotency-Key: the old one keeps standing for what it stands for.',
  },
  never: { short: 'not at all', sentence: 'Repeating the request changes nothing.' },
  'fix-new-key': {
    short: 'the corrected request, new key',
    sentence:
      'Correct the request and send it under a new Idempotency-Key. The old key keeps naming the job that failed, so repeating it shows the same failure.',
  },
};
