const prefix = 'whsec_';
const shortestBytes = 24;
const longestBytes = 64;
const base64 = /^[A-Za-z0-9+/]+={0,2}$/;

/**
 * The key in the text of a secret as the service shows it (`whsec_` and base64; the prefix may be missing).
 *
 * @throws TypeError when it is no secret, without showing it
 */
export function signingKey(secret: string): Buffer {
  const text = secret.startsWith(prefix) ? secret.slice(prefix.length) : secret;
  const key = base64.test(text) ? Buffer.from(text, 'base64') : Buffer.alloc(0);
  if (key.length < shortestBytes || key.length > longestBytes)
    throw new TypeError(`a webhook secret is whsec_ and the base64 of ${shortestBytes} to ${longestBytes} bytes`);
  return key;
}
