/** Lower case, without a final dot. */
export function canonicalHost(host: string): string {
  return host.toLowerCase().replace(/\.$/, '');
}

const longestName = 253;
const longestLabel = 63;

/** Whether a canonical host could be a name of the DNS (RFC 1035, section 2.3.4): no empty or overlong label, and it is not all too long. */
export function isResolvable(host: string): boolean {
  if (host.length > longestName) return false;
  return host.split('.').every((label) => label.length > 0 && label.length <= longestLabel);
}

/**
 * Names that lead to this machine or to its network whatever a resolver says: RFC 6761 (localhost), RFC 6762 (local), RFC 8375 (home.arpa),
 * and internal, which ICANN keeps for private use.
 */
const localNames = /(^|\.)(localhost|localdomain|local|internal|home\.arpa)$/;

/** Whether a canonical host is a name of a local network. */
export function isLocalName(host: string): boolean {
  return localNames.test(host);
}

/** Whether a canonical host is a name of this machine. */
export function isLoopbackName(host: string): boolean {
  return /(^|\.)(localhost|localdomain)$/.test(host);
}
