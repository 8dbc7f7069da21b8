import { RequestRefused } from '#libs/contract';

/** The first request with a key has not been committed yet. */
export function keyInUse(): RequestRefused {
  return new RequestRefused('idempotency_key_in_use', 'the first request with this key is still being committed', {
    retryAfterSeconds: 1,
  });
}

/** Whether a refusal is {@link keyInUse}. */
export function isKeyInUse(error: unknown): boolean {
  return error instanceof RequestRefused && error.code === 'idempotency_key_in_use';
}

/** The key stands for another request, of which nothing is told. */
export function keyReused(): RequestRefused {
  return new RequestRefused(
    'idempotency_key_reused',
    'this key was used for another request: everything that is sent counts, the names and order of documents and the pages and passwords of inputs included; use a new key for a new request',
  );
}

/** The key was taken by a release whose fingerprints this one cannot compare. To call it another request could make a client do its work twice. */
export function keyOfNewerRelease(): RequestRefused {
  return new RequestRefused(
    'unavailable',
    'this key was used with a newer release of the service, which has to answer; repeat the request with the same key',
    { retryAfterSeconds: 1 },
  );
}

/** The API key was revoked while the request was under way. */
export function apiKeyRevoked(): RequestRefused {
  return new RequestRefused('unauthenticated', 'the API key was revoked', {
    headers: { 'www-authenticate': 'Bearer' },
  });
}
