/** What kept an answer from coming. */
export type NetworkFailure =
  | 'address_refused'
  | 'timeout'
  | 'dns_error'
  | 'connection_refused'
  | 'connection_reset'
  | 'connection_failed'
  | 'tls_error'
  | 'invalid_response'
  | 'unknown';

const failureOfCode: Readonly<Record<string, NetworkFailure>> = {
  ADDRESS_REFUSED: 'address_refused',
  ETIMEDOUT: 'timeout',
  UND_ERR_CONNECT_TIMEOUT: 'timeout',
  UND_ERR_HEADERS_TIMEOUT: 'timeout',
  UND_ERR_BODY_TIMEOUT: 'timeout',
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

const failureOfPrefix: readonly (readonly [RegExp, NetworkFailure])[] = [
  [/^EAI_/, 'dns_error'],
  [/^(ERR_TLS_|ERR_SSL_|CERT_|UNABLE_TO_|SELF_SIGNED|DEPTH_ZERO|HOSTNAME_MISMATCH|INVALID_CA)/, 'tls_error'],
];

/** What kind of failure an error of a connection is, by its code or that of the first address tried. */
export function networkFailure(error: Error): NetworkFailure {
  if (isInvalidResponse(error)) return 'invalid_response';
  const code = codeOf(error) ?? (error instanceof AggregateError ? codeOf(error.errors[0]) : undefined) ?? '';
  const known = failureOfCode[code] ?? failureOfPrefix.find(([prefix]) => prefix.test(code))?.[1];
  return known ?? 'connection_failed';
}

/** An answer that is no HTTP, or a 100 or 101 that nobody asked for, which undici reports as an error of the socket. */
function isInvalidResponse(error: Error): boolean {
  return error.name === 'HTTPParserError' || (codeOf(error) === 'UND_ERR_SOCKET' && error.message.startsWith('bad '));
}

function codeOf(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}
