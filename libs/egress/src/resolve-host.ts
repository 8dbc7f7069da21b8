import type { LookupAddress } from 'node:dns';
import { lookup } from 'node:dns/promises';

/** Finds every address of a host. */
export type ResolveHost = (host: string) => Promise<readonly LookupAddress[]>;

/** Resolves as the system does (hosts file, search domains); requests of one host that wait at once share one question. */
export function systemResolver(): ResolveHost {
  const asked = new Map<string, Promise<readonly LookupAddress[]>>();
  return (host) => {
    const answer = asked.get(host) ?? lookup(host, { all: true }).finally(() => asked.delete(host));
    asked.set(host, answer);
    return answer;
  };
}
