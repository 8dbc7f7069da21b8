import { lookup } from 'node:dns/promises';
import type { AddressGuard, Refusal } from '#libs/domain';

const resolveTimeoutMs = 2_000;

/**
 * Says why a webhook URL is refused at registration, or gives `null`. A name that does not resolve now is accepted for https, because every
 * address is vetted again when a delivery connects; for http it must lead to addresses that are listed.
 */
export async function addressProblem(
  guard: AddressGuard,
  text: string,
  resolve: (host: string) => Promise<readonly string[]> = resolved,
): Promise<string | null> {
  const { username, password } = new URL(text);
  if (username !== '' || password !== '') return 'must not carry a user name or password; use a custom header';
  const verdict = guard.vetUrl(text);
  if (verdict.kind === 'refused') return sentence(verdict);
  if (verdict.kind === 'address') return null;
  const addresses = await resolve(verdict.host);
  if (addresses.length === 0) return verdict.requires === 'listed' ? sentence({ reason: 'plain_http' }) : null;
  const vetted = guard.vetAddresses(addresses, verdict.requires);
  return vetted.kind === 'refused' ? sentence(vetted) : null;
}

async function resolved(host: string): Promise<readonly string[]> {
  const giveUp = new Promise<[]>((resolve) => setTimeout(resolve, resolveTimeoutMs, []).unref());
  const addresses = lookup(host, { all: true }).catch(() => []);
  return (await Promise.race([addresses, giveUp])).map(({ address }: { address: string }) => address);
}

function sentence({ reason, addressClass }: Pick<Refusal, 'reason' | 'addressClass'>): string {
  if (reason === 'invalid_url') return 'must be an absolute URL';
  if (reason === 'scheme') return 'must begin with https://';
  if (reason === 'plain_http') return 'must begin with https://: http is only for hosts that WEBHOOK_ALLOW names';
  if (addressClass === 'metadata') return 'leads to an address that hands out credentials, which webhooks never reach';
  return `leads to an address that is not public (${addressClass ?? 'unreadable'}); WEBHOOK_ALLOW can name it`;
}
