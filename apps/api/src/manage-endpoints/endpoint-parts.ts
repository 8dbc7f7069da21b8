import { refusedAt } from '#libs/contract';
import type { SecretKeyring } from '#libs/domain';
import type { EndpointStore } from '#libs/persistence';

/** What endpoints are stored with. */
export interface EndpointParts {
  readonly endpoints: EndpointStore;
  readonly keyring: SecretKeyring;
  /** Why a URL may not be called, or `null`. */
  readonly addressProblem: (url: string) => Promise<string | null>;
}

/** @throws RequestRefused `endpoint_address_refused` when an endpoint may not have the URL */
export async function checkAddress({ addressProblem }: EndpointParts, url: string): Promise<void> {
  const detail = await addressProblem(url);
  if (detail !== null) throw refusedAt('endpoint_address_refused', '/url', detail);
}
