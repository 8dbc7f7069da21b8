import { networkFailure } from './network-failure.js';

const coded = (code: string, message = code) => Object.assign(new Error(message), { code });

describe('the failure that an error tells of', () => {
  it.each([
    ['ENOTFOUND', 'dns_error'],
    ['EAI_AGAIN', 'dns_error'],
    ['ECONNREFUSED', 'connection_refused'],
    ['ECONNRESET', 'connection_reset'],
    ['UND_ERR_SOCKET', 'connection_reset'],
    ['ETIMEDOUT', 'timeout'],
    ['UND_ERR_HEADERS_TIMEOUT', 'timeout'],
    ['UND_ERR_BODY_TIMEOUT', 'timeout'],
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
    expect(networkFailure(coded(code))).toBe(expected);
  });

  it('is that of the first address when several were tried', () => {
    expect(networkFailure(new AggregateError([coded('ECONNREFUSED'), coded('ENETUNREACH')]))).toBe(
      'connection_refused',
    );
  });

  it('is an invalid answer when the socket was closed for one', () => {
    expect(networkFailure(coded('UND_ERR_SOCKET', 'bad response'))).toBe('invalid_response');
    expect(networkFailure(coded('UND_ERR_SOCKET', 'bad upgrade'))).toBe('invalid_response');
    expect(networkFailure(coded('UND_ERR_SOCKET', 'other side closed'))).toBe('connection_reset');
  });
});
