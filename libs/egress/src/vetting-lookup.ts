import type { LookupAddress } from 'node:dns';
import type { LookupFunction } from 'node:net';
import type { AddressGuard, AddressRequirement } from '#libs/domain';
import { AddressRefused } from './address-refused.js';
import type { ResolveHost } from './resolve-host.js';

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
