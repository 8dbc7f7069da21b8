import { outcomeOfError, outcomeOfStatus } from './outcome-of.js';

const coded = (code: string) => Object.assign(new Error(code), { code });

describe('the outcome of a status', () => {
  it.each([
    [200, 'delivered'],
    [204, 'delivered'],
    [299, 'delivered'],
    [301, 'redirected'],
    [304, 'redirected'],
    [400, 'client_error'],
    [410, 'gone'],
    [429, 'client_error'],
    [500, 'server_error'],
    [599, 'server_error'],
  ])('%d is %s', (status, expected) => {
    expect(outcomeOfStatus(status)).toBe(expected);
  });
});

describe('the outcome of an error', () => {
  it.each([
    ['ENOTFOUND', 'dns_error'],
    ['EAI_AGAIN', 'dns_error'],
    ['ECONNREFUSED', 'connection_refused'],
    ['ECONNRESET', 'connection_reset'],
    ['UND_ERR_SOCKET', 'connection_reset'],
    ['ETIMEDOUT', 'timeout'],
    ['UND_ERR_CONNECT_TIMEOUT', 'timeout'],
    ['EHOSTUNREACH', 'connection_failed'],
    ['', 'connection_failed'],
    ['CERT_HAS_EXPIRED', 'tls_error'],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'tls_error'],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', 'tls_error'],
    ['ERR_SSL_WRONG_VERSION_NUMBER', 'tls_error'],
    ['UND_ERR_HEADERS_OVERFLOW', 'invalid_response'],
    ['ADDRESS_REFUSED', 'address_refused'],
  ])('%s is %s', (code, expected) => {
    expect(outcomeOfError(coded(code))).toBe(expected);
  });

  it('is that of the first address when several were tried', () => {
    expect(outcomeOfError(new AggregateError([coded('ECONNREFUSED'), coded('ENETUNREACH')]))).toBe(
      'connection_refused',
    );
  });
});
