import { longestEventBytes } from './event.js';

/** The first body that is not longer than an event may be, or else the last one: each says less than the one before. */
export function firstThatFits(bodies: Iterable<string>): string {
  let last = '';
  for (const body of bodies) {
    if (Buffer.byteLength(body) <= longestEventBytes) return body;
    last = body;
  }
  return last;
}
