import type { ApiAnswer } from './api-client.js';

/** What of an answer a replay repeats. */
export function likeness({ status, headers, body }: ApiAnswer): object {
  return {
    status,
    contentType: headers.get('content-type'),
    location: headers.get('location'),
    body: body.toString('latin1'),
  };
}
