import type { LookupAddress } from 'node:dns';
import { lookup } from 'node:dns/promises';
import type { LookupFunction } from 'node:net';
import type { AddressGuard, AddressRequirement, Refusal } from '#libs/domain';

/** Finds every address of a host. */
export type ResolveHost = (host: string) => Promise<readonly LookupAddress[]>;

/** The target of a request must not be reached. */
export class AddressRefused extends Error {
  override readonly name = 'AddressRefused';
  readonly code = 'ADDRESS_REFUSED';

  constructor(readonly refusal: Refusal) {
    super(`refused by ${[refusal.reason, refusal.addressClass].filter(Boolean).join(': ')}`);
  }
}

/** Resolves as the system does (hosts file, search domains); requests of one host that wait at once share one question. */
export function systemResolver(): ResolveHost {
  const asked = new Map<string, Promise<readonly LookupAddress[]>>();
  return (host) => {
    const answer = asked.get(host) ?? lookup(host, { all: true }).finally(() => asked.delete(host));
    asked.set(host, answer);
    return answer;
  };
}

/**
 * A `lookup` for sockets that gives only vetted addresses, at the moment of the connection: one refused answer refuses the host, so nothing
 * that is resolved twice or rebound in between is ever connected to.
 */
export function vettingLookup(guard: AddressGuard, requires: AddressRequirement, resolve: ResolveHost): LookupFunction {
  return (host, options, callback) => {
    const wanted = options.family === 4 || options.family === 6 ? options.family : null;
    const vetted = async (): Promise<LookupAddress[]> => {
      const answers = await resolve(host);
      const verdict = guard.vetAddresses(
        answers.map(({ address }) => address),
        requires,
      );
      if (verdict.kind === 'refused') throw new AddressRefused(verdict);
      return answers.filter(({ family }) => wanted === null || family === wanted);
    };
    vetted().then(
      (answers) => {
        const [first] = answers;
        if (options.all === true) callback(null, answers);
        else if (first !== undefined) callback(null, first.address, first.family);
        else callback(Object.assign(new Error(`no address of ${host}`), { code: 'ENOTFOUND' }), '');
      },
      (error: Error) => callback(error, ''),
    );
  };
}
