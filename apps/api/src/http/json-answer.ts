import type { StoredAnswer } from '#libs/persistence';

/** An answer that shows a resource and says where it is. */
export function jsonAnswer(status: number, location: string | null, view: object): StoredAnswer {
  return {
    status,
    location,
    contentType: 'application/json; charset=utf-8',
    body: JSON.stringify(view),
  };
}
