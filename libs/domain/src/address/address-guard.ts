import type { AddressAllowList } from './address-allow-list.js';
import { type AddressClass, classifyAddress, type ClassifiedAddress } from './address-class.js';
import { isBlockedPort } from './blocked-ports.js';
import { canonicalHost, isLocalName, isLoopbackName, isResolvable } from './host-name.js';
import { readUrl } from './read-url.js';

/** Why a target is refused. `plain_http` is http, and `port` a port of another protocol, of a target that no allow-list entry names. */
export type RefusalReason = 'invalid_url' | 'scheme' | 'plain_http' | 'port' | 'address';

/** A target that must not be reached. */
export interface Refusal {
  readonly kind: 'refused';
  readonly reason: RefusalReason;
  /** What was refused, when it is an address. */
  readonly addressClass?: AddressClass;
}

/**
 * What a name must resolve to: `not_metadata` when the allow-list names the host; `listed`, that is only to addresses that it names, when the
 * scheme is http or the name one of a local network; otherwise `public_or_listed`.
 */
export type AddressRequirement = 'not_metadata' | 'listed' | 'public_or_listed';

/** A URL that may be used: as it is when its host is an address, or else if every address of the name meets the requirement. */
export type UrlVerdict =
  | Refusal
  | { readonly kind: 'address' }
  | { readonly kind: 'name'; readonly host: string; readonly requires: AddressRequirement };

/** Whether an answer of the resolver may be connected to. */
export type AddressVerdict = Refusal | { readonly kind: 'allowed' };

type ReasonToBeListed = Extract<RefusalReason, 'plain_http' | 'port'>;

const allowed = { kind: 'allowed' } as const;

/**
 * Decides which targets may be reached. Pure: it resolves nothing. A name has to be vetted again with the addresses it has at the moment of
 * the connection.
 */
export class AddressGuard {
  constructor(private readonly allowList: AddressAllowList) {}

  /** Vets a URL by its scheme and host, in any spelling of an address that WHATWG URL knows (decimal, octal, hexadecimal, short). */
  vetUrl(text: string): UrlVerdict {
    const url = readUrl(text);
    if (url === null || url.hostname === '') return { kind: 'refused', reason: 'invalid_url' };
    if (!['http:', 'https:'].includes(url.protocol)) return { kind: 'refused', reason: 'scheme' };
    const literal = classifyAddress(url.hostname.replace(/^\[|\]$/g, ''));
    const reason = reasonToBeListed(url);
    return literal.class === 'unreadable'
      ? this.vetName(canonicalHost(url.hostname), reason)
      : this.vetLiteral(literal, reason);
  }

  /** Vets all answers of a resolver; one that is refused refuses all, and no answer at all is refused too. */
  vetAddresses(addresses: readonly string[], requires: AddressRequirement): AddressVerdict {
    const verdicts = addresses.map((address) => this.vet(classifyAddress(address), requires));
    return verdicts.find((verdict) => verdict.kind === 'refused') ?? verdicts[0] ?? refusedAddress('unreadable');
  }

  private vetLiteral(literal: ClassifiedAddress, reason: ReasonToBeListed | null): UrlVerdict {
    const verdict = this.vet(literal, reason === null ? 'public_or_listed' : 'listed');
    if (verdict.kind === 'allowed') return { kind: 'address' };
    return verdict.reason === 'plain_http' ? { ...verdict, reason: reason ?? verdict.reason } : verdict;
  }

  private vetName(host: string, reason: ReasonToBeListed | null): UrlVerdict {
    if (!isResolvable(host)) return { kind: 'refused', reason: 'invalid_url' };
    if (this.allowList.hasHost(host)) return { kind: 'name', host, requires: 'not_metadata' };
    const mustBeListed = reason !== null || isLocalName(host);
    return (
      this.refusalByName(host, reason) ?? { kind: 'name', host, requires: mustBeListed ? 'listed' : 'public_or_listed' }
    );
  }

  /** A port of another protocol is only for hosts that are named; where no address is listed, no name leads to one. */
  private refusalByName(host: string, reason: ReasonToBeListed | null): Refusal | null {
    if (reason === 'port') return { kind: 'refused', reason };
    if (this.allowList.hasBlocks) return null;
    if (isLocalName(host)) return refusedAddress(isLoopbackName(host) ? 'loopback' : 'private');
    return reason === null ? null : { kind: 'refused', reason };
  }

  private vet(target: ClassifiedAddress, requires: AddressRequirement): AddressVerdict {
    if (target.class === 'metadata' || target.class === 'unreadable') return refusedAddress(target.class);
    if (requires === 'not_metadata' || this.isListed(target)) return allowed;
    if (target.class !== 'public') return refusedAddress(target.class);
    return requires === 'listed' ? { kind: 'refused', reason: 'plain_http', addressClass: 'public' } : allowed;
  }

  /**
   * A mapped address is listed when the IPv4 address in it is, for they are one target. Any other form must be named itself, and what it carries
   * must be public or named too: a block for NAT64 opens no private network.
   */
  private isListed({ class: addressClass, address, embedded }: ClassifiedAddress): boolean {
    const reachable = (each: string): boolean =>
      classifyAddress(each).class === 'public' || this.allowList.hasAddress(each);
    if (addressClass === 'ipv4_mapped') return embedded.every((each) => this.allowList.hasAddress(each));
    return this.allowList.hasAddress(address) && embedded.every(reachable);
  }
}

/** Why only what is listed may be reached at this URL, if that is so. */
function reasonToBeListed({ protocol, port }: URL): ReasonToBeListed | null {
  if (isBlockedPort(port)) return 'port';
  return protocol === 'http:' ? 'plain_http' : null;
}

function refusedAddress(addressClass: AddressClass): Refusal {
  return { kind: 'refused', reason: 'address', addressClass };
}
