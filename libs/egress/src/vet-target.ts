import type { AddressGuard, Refusal } from '#libs/domain';
import type { ResolveHost } from './resolve-host.js';

const resolveTimeoutMs = 2_000;

/**
 * Vets a URL with the addresses that its host has now. A name that does not resolve in time passes for https, because every address is
 * vetted again when a connection is made; one that has to be listed does not.
 *
 * @returns why the target must not be reached, or `null`
 */
export async function vetTarget(guard: AddressGuard, url: string, resolve: ResolveHost): Promise<Refusal | null> {
  const verdict = guard.vetUrl(url);
  if (verdict.kind === 'refused') return verdict;
  if (verdict.kind === 'address') return null;
  const addresses = await resolvedInTime(verdict.host, resolve);
  if (addresses.length === 0) return verdict.requires === 'listed' ? { kind: 'refused', reason: 'plain_http' } : null;
  const vetted = guard.vetAddresses(addresses, verdict.requires);
  return vetted.kind === 'refused' ? vetted : null;
}

async function resolvedInTime(host: string, resolve: ResolveHost): Promise<readonly string[]> {
  const giveUp = new Promise<[]>((give) => setTimeout(give, resolveTimeoutMs, []).unref());
  const addresses = resolve(host).catch(() => []);
  return (await Promise.race([addresses, giveUp])).map(({ address }: { address: string }) => address);
}
