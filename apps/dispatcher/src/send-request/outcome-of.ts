import type { AttemptOutcome } from '#libs/domain';

const outcomeOfCode: Readonly<Record<string, AttemptOutcome>> = {
  ADDRESS_REFUSED: 'address_refused',
  ETIMEDOUT: 'timeout',
  UND_ERR_CONNECT_TIMEOUT: 'timeout',
  ENOTFOUND: 'dns_error',
  ENODATA: 'dns_error',
  ECONNREFUSED: 'connection_refused',
  ECONNRESET: 'connection_reset',
  EPIPE: 'connection_reset',
  UND_ERR_SOCKET: 'connection_reset',
  EPROTO: 'tls_error',
  UND_ERR_HEADERS_OVERFLOW: 'invalid_response',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'invalid_response',
  UND_ERR_INVALID_ARG: 'unknown',
};

const outcomeOfPrefix: readonly (readonly [RegExp, AttemptOutcome])[] = [
  [/^EAI_/, 'dns_error'],
  [/^(ERR_TLS_|ERR_SSL_|CERT_|UNABLE_TO_|SELF_SIGNED|DEPTH_ZERO|HOSTNAME_MISMATCH|INVALID_CA)/, 'tls_error'],
];

/** What an answer with this status means for the delivery: only 2xx delivers, redirects are not followed. */
export function outcomeOfStatus(statusCode: number): AttemptOutcome {
  if (statusCode >= 200 && statusCode < 300) return 'delivered';
  if (statusCode < 400) return 'redirected';
  if (statusCode === 410) return 'gone';
  return statusCode < 500 ? 'client_error' : 'server_error';
}

/** What kind of failure an error of the connection is, by its code or that of the first address tried. */
export function outcomeOfError(error: Error): AttemptOutcome {
  if (error.name === 'HTTPParserError') return 'invalid_response';
  const code = codeOf(error) ?? (error instanceof AggregateError ? codeOf(error.errors[0]) : undefined) ?? '';
  const known = outcomeOfCode[code] ?? outcomeOfPrefix.find(([prefix]) => prefix.test(code))?.[1];
  return known ?? 'connection_failed';
}

function codeOf(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}
