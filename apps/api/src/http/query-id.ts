import { refusedAt } from '#libs/contract';
import { type IdPrefix, uuidOf } from '#libs/domain';
import { wrongIdSentence } from './id-kinds.js';

/** The UUID of an id in a query, absent when it was. @throws RequestRefused `invalid_request` */
export function queryId(prefix: IdPrefix, name: string, id: string | undefined): string | undefined {
  if (id === undefined) return undefined;
  const uuid = uuidOf(prefix, id);
  if (uuid !== null) return uuid;
  throw refusedAt('invalid_request', `query:${name}`, wrongIdSentence(prefix, id));
}
