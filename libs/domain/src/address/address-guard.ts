import { type AddressAllowList, canonicalHost } from './address-allow-list.js';
import { type AddressClass, classifyAddress, type ClassifiedAddress } from './address-class.js';

/** Why a target is refused. `plain_http` is http to a target that no allow-list entry names. */
export type RefusalReason = 'invalid_url' | 'scheme' | 'plain_http' | 'address';

/** A target that must not be reached. */
export interface Refusal {
  readonly kind: 'refused';
  readonly reason: RefusalReason;
  /** What was refused, when it is an address. */
  readonly addressClass?: AddressClass;
}

/**
 * What a name must resolve to: `not_metadata` when the allow-list names the host, `listed` when the scheme is http and the
 * host is not named (then the allow-list must name every address), otherwise `public_or_listed`.
 */
export type AddressRequirement = 'not_metadata' | 'listed' | 'public_or_listed';

/** A URL that may be used: as it is when its host is an address, or else if every address of the name meets the requirement. */
export type UrlVerdict =
  | Refusal
  | { readonly kind: 'address' }
  | { readonly kind: 'name'; readonly host: string; readonly requires: AddressRequirement };

/** Whether an answer of the resolver may be connected to. */
export type AddressVerdict = Refusal | { readonly kind: 'allowed' };

const allowed = { kind: 'allowed' } as const;

/**
 * Decides which targets a webhook may reach. Pure: it resolves nothing. A name has to be vetted again with the addresses it has at the moment
 * of the connection.
 */
export class AddressGuard {
  constructor(private readonly allowList: AddressAllowList) {}

  /** Vets a URL by its scheme and host, in any spelling of an address that WHATWG URL knows (decimal, octal, hexadecimal, short). */
  vetUrl(text: string): UrlVerdict {
    const url = URL.canParse(text) ? new URL(text) : null;
    if (url === null || url.hostname === '') return { kind: 'refused', reason: 'invalid_url' };
    if (url.protocol !== 'https:' && url.protocol !== 'http:') return { kind: 'refused', reason: 'scheme' };
    const literal = classifyAddress(url.hostname.replace(/^\[|\]$/g, ''));
    const isPlain = url.protocol === 'http:';
    if (literal.class === 'unreadable') return this.vetName(canonicalHost(url.hostname), isPlain);
    const verdict = this.vet(literal, isPlain ? 'listed' : 'public_or_listed');
    return verdict.kind === 'allowed' ? { kind: 'address' } : verdict;
  }

  /** Vets all answers of a resolver; one that is refused refuses all, and no answer at all is refused too. */
  vetAddresses(addresses: readonly string[], requires: AddressRequirement): AddressVerdict {
    const verdicts = addresses.map((address) => this.vet(classifyAddress(address), requires));
    return verdicts.find((verdict) => verdict.kind === 'refused') ?? verdicts[0] ?? refusedAddress('unreadable');
  }

  private vetName(host: string, isPlain: boolean): UrlVerdict {
    if (this.allowList.hasHost(host)) return { kind: 'name', host, requires: 'not_metadata' };
    return { kind: 'name', host, requires: isPlain ? 'listed' : 'public_or_listed' };
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

function refusedAddress(addressClass: AddressClass): Refusal {
  return { kind: 'refused', reason: 'address', addressClass };
}
