import ipaddr from 'ipaddr.js';

/** What kind of target an address is; only `public` may be reached without an allow-list, `metadata` never. */
export type AddressClass =
  | 'public'
  | 'private'
  | 'loopback'
  | 'link_local'
  | 'carrier_grade_nat'
  | 'unique_local'
  | 'unspecified'
  | 'multicast'
  | 'broadcast'
  | 'reserved'
  | 'ipv4_mapped'
  | 'nat64'
  | '6to4'
  | 'teredo'
  | 'metadata'
  | 'unreadable';

/** An address with the IPv4 addresses that its form carries inside. */
export interface ClassifiedAddress {
  readonly class: AddressClass;
  /** Canonical text without a zone, `''` when it is unreadable. */
  readonly address: string;
  /** Canonical IPv4 texts: what a translator or the kernel would really connect to. */
  readonly embedded: readonly string[];
}

type Parsed = ipaddr.IPv4 | ipaddr.IPv6;

const classOfRange: Readonly<Record<string, AddressClass>> = {
  unicast: 'public',
  private: 'private',
  loopback: 'loopback',
  linkLocal: 'link_local',
  carrierGradeNat: 'carrier_grade_nat',
  uniqueLocal: 'unique_local',
  unspecified: 'unspecified',
  multicast: 'multicast',
  broadcast: 'broadcast',
  ipv4Mapped: 'ipv4_mapped',
  rfc6145: 'ipv4_mapped',
  rfc6052: 'nat64',
  '6to4': '6to4',
  teredo: 'teredo',
};

/** Where clouds hand out credentials: AWS and its containers, GCP and GKE, Azure, Oracle, Alibaba, Tencent, Scaleway, OpenStack. */
const metadataAddresses = new Set(
  [
    '169.254.169.254',
    '169.254.169.253',
    '169.254.169.252',
    '169.254.169.123',
    '169.254.170.2',
    '169.254.170.23',
    '169.254.0.23',
    '169.254.42.42',
    '100.100.100.200',
    '192.0.0.192',
    '168.63.129.16',
    'fd00:ec2::254',
    'fd00:ec2::253',
    'fd00:ec2::123',
    'fd00:ec2::23',
    'fd20:ce::254',
    'fd00:42::42',
    'fe80::a9fe:a9fe',
  ].map((address) => ipaddr.parse(address).toString()),
);

const globalUnicast: [ipaddr.IPv6, number] = [ipaddr.IPv6.parse('2000::'), 3];
const ipv4Compatible: [ipaddr.IPv6, number] = [ipaddr.IPv6.parse('::'), 96];

/**
 * Classifies an address by the IANA special-purpose registries. A form that carries an IPv4 address (mapped, NAT64, 6to4, Teredo) is a class
 * of its own, and `metadata` when what it carries is. Anything that is not known to be public is not public.
 */
export function classifyAddress(text: string): ClassifiedAddress {
  const parsed = parseAddress(text);
  if (parsed === null) return { class: 'unreadable', address: '', embedded: [] };
  const address = parsed.toString();
  const embedded = parsed instanceof ipaddr.IPv6 ? embeddedIpv4(parsed) : [];
  const isMetadata = [address, ...embedded].some((each) => metadataAddresses.has(each));
  return { class: isMetadata ? 'metadata' : classOf(parsed), address, embedded };
}

/** The address without a zone, or `null` when the text is none. */
export function parseAddress(text: string): Parsed | null {
  const [withoutZone = ''] = text.split('%');
  return ipaddr.isValid(withoutZone) ? ipaddr.parse(withoutZone) : null;
}

function classOf(address: Parsed): AddressClass {
  const known = classOfRange[address.range()] ?? 'reserved';
  const isUnallocated = address instanceof ipaddr.IPv6 && !address.match(globalUnicast);
  return known === 'public' && isUnallocated ? 'reserved' : known;
}

/**
 * Every IPv4 address that the form may stand for. NAT64 of a local prefix (RFC 8215) may hold it in two places (RFC 6052, section 2.2), of
 * which the other is then zero.
 */
function embeddedIpv4(address: ipaddr.IPv6): readonly string[] {
  const bytes = address.toByteArray();
  const at = (...positions: number[]): string => positions.map((position) => bytes[position]).join('.');
  const forms: Readonly<Record<string, () => string[]>> = {
    ipv4Mapped: () => [at(12, 13, 14, 15)],
    rfc6145: () => [at(12, 13, 14, 15)],
    rfc6052: () => [at(12, 13, 14, 15), ...[at(6, 7, 9, 10)].filter((each) => each !== '0.0.0.0')],
    '6to4': () => [at(2, 3, 4, 5)],
    teredo: () => [
      bytes
        .slice(12)
        .map((byte) => byte ^ 0xff)
        .join('.'),
      at(4, 5, 6, 7),
    ],
    unicast: () => (address.match(ipv4Compatible) ? [at(12, 13, 14, 15)] : []),
  };
  return forms[address.range()]?.() ?? [];
}
