import type { AddressGuard } from '#libs/domain';
import { refusalSentence, type ResolveHost, systemResolver, vetTarget } from '#libs/egress';

/**
 * Says why a webhook URL is refused at registration, or gives `null`. A name that does not resolve now is accepted for https, because every
 * address is vetted again when a delivery connects; for http it must lead to addresses that are listed.
 */
export async function addressProblem(
  guard: AddressGuard,
  text: string,
  resolve: ResolveHost = systemResolver(),
): Promise<string | null> {
  const { username, password } = new URL(text);
  if (username !== '' || password !== '') return 'must not carry a user name or password; use a custom header';
  const refusal = await vetTarget(guard, text, resolve);
  return refusal === null ? null : refusalSentence(refusal, 'WEBHOOK_ALLOW');
}
