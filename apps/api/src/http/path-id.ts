import { RequestRefused } from '#libs/contract';
import { type IdPrefix, uuidOf } from '#libs/domain';
import { wrongIdSentence } from './id-kinds.js';

/** The UUID of an id in a path. @throws RequestRefused `not_found` */
export function pathId(prefix: IdPrefix, id: string): string {
  const uuid = uuidOf(prefix, id);
  if (uuid === null) throw new RequestRefused('not_found', wrongIdSentence(prefix, id));
  return uuid;
}
