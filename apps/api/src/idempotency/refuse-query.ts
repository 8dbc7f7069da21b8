import { noQuerySchema, validate } from '#libs/contract';
import type { CreateIntent } from './create-intent.js';

/**
 * No POST has parameters in its query: what is there was meant to have an effect, and has none.
 *
 * @throws RequestRefused `invalid_request`, naming each of them
 */
export function refuseQuery({ identity: { query } }: CreateIntent): void {
  if (query !== '') validate(noQuerySchema, Object.fromEntries(new URLSearchParams(query)), 'query');
}
