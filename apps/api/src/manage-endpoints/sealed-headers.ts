import type { SecretKeyring } from '#libs/domain';

/** Header values by name. */
export type Headers = Readonly<Record<string, string>>;

/** Headers as they are stored; `null` for none. */
export function sealedHeaders(headers: Headers, keyring: SecretKeyring): string | null {
  return Object.keys(headers).length === 0 ? null : keyring.seal(JSON.stringify(headers));
}

/** The headers that {@link sealedHeaders} stored. @throws SecretKeyError */
export function openedHeaders(sealed: string | null, keyring: SecretKeyring): Headers {
  return sealed === null ? {} : (JSON.parse(keyring.open(sealed)) as Headers);
}
