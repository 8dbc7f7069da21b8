import { RequestRefused } from '#libs/contract';

/** The refusal of an id that names nothing of the account. */
export function notFound(id: string): RequestRefused {
  return new RequestRefused('not_found', `there is no ${id.slice(0, 100)}`);
}
