import ipaddr from 'ipaddr.js';
import { parseAddress } from './address-class.js';
import { canonicalHost } from './host-name.js';

/** An entry of the allow-list is neither a host name nor a CIDR; the message names the entry. */
export class AllowListError extends Error {
  override readonly name = 'AllowListError';
}

type Block = [ipaddr.IPv4 | ipaddr.IPv6, number];

const hostName = /^(?=.{1,253}$)[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?)*$/;

/** The hosts and address blocks that may be reached though they are not public (`WEBHOOK_ALLOW`, `INPUT_ALLOW`). */
export class AddressAllowList {
  private constructor(
    private readonly hosts: ReadonlySet<string>,
    private readonly blocks: readonly Block[],
  ) {}

  /**
   * Reads entries such as `receiver.internal`, `10.0.0.0/8`, `::1` (a single address is a block of one).
   *
   * @throws AllowListError naming the entry at fault
   */
  static parse(entries: readonly string[]): AddressAllowList {
    const hosts = new Set<string>();
    const blocks: Block[] = [];
    for (const entry of entries) {
      const block = parseBlock(entry);
      if (block !== null) blocks.push(block);
      else hosts.add(parseHost(entry));
    }
    return new AddressAllowList(hosts, blocks);
  }

  /** Whether any address is listed, so that a name may turn out to lead to one. */
  get hasBlocks(): boolean {
    return this.blocks.length > 0;
  }

  /** @param host as {@link URL} gives it; case and a final dot do not count */
  hasHost(host: string): boolean {
    return this.hosts.has(canonicalHost(host));
  }

  /** Whether a block contains the address. */
  hasAddress(text: string): boolean {
    const address = parseAddress(text);
    if (address === null) return false;
    return this.blocks.some(
      ([network, bits]) => network.kind() === address.kind() && address.match([network, bits] as never),
    );
  }
}

function parseBlock(entry: string): Block | null {
  const [address = '', bits, ...rest] = entry.split('/');
  if (!ipaddr.isValid(address) || !isCanonicalForm(address)) return null;
  if (bits === undefined) return [ipaddr.parse(address), address.includes(':') ? 128 : 32];
  if (rest.length > 0 || !ipaddr.isValidCIDR(entry)) throw new AllowListError(`${entry} is no CIDR`);
  return ipaddr.parseCIDR(entry);
}

/** Four decimal parts or IPv6: `127.1` and the like are more often a mistake than meant. */
function isCanonicalForm(address: string): boolean {
  return address.includes(':') || ipaddr.IPv4.isValidFourPartDecimal(address);
}

function parseHost(entry: string): string {
  const host = canonicalHost(entry);
  if (!hostName.test(host) || /^[\d.]+$/.test(host))
    throw new AllowListError(`${entry} is neither a host name nor a CIDR`);
  return host;
}
