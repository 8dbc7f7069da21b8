import { refusedFor } from '#libs/contract';
import { escapePointer } from '#libs/domain';
import type { CreateIntent } from './create-intent.js';

const keyInQuery = 'the idempotency key is sent in the Idempotency-Key header, not in the query';
const unknown = 'unknown parameter: this route takes none';

/**
 * No POST has parameters in its query: what is there was meant to have an effect, and has none.
 *
 * @throws RequestRefused `invalid_request`, naming each of them
 */
export function refuseQuery({ identity }: CreateIntent): void {
  const names = new Set(new URLSearchParams(identity.query).keys());
  if (names.size === 0) return;
  throw refusedFor(
    'invalid_request',
    [...names].map((name) => ({
      pointer: `query:${escapePointer(name)}`,
      detail: name === 'idempotency_key' ? keyInQuery : unknown,
    })),
  );
}
