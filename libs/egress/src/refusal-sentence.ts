import type { Refusal } from '#libs/domain';

/** Says why a target is refused, as the end of a sentence whose subject is the URL. @param setting what may list it */
export function refusalSentence({ reason, addressClass }: Refusal, setting: string): string {
  switch (reason) {
    case 'invalid_url':
      return 'must be an absolute URL';
    case 'scheme':
      return 'must begin with https://';
    case 'plain_http':
      return `must begin with https://: http is only for hosts that ${setting} names`;
    case 'port':
      return `must not name a port that belongs to another protocol, unless ${setting} names the host`;
    case 'address':
      return addressClass === 'metadata'
        ? 'leads to an address that hands out credentials, which is never reached'
        : `leads to an address that is not public (${addressClass ?? 'unreadable'}); ${setting} can name it`;
  }
}
