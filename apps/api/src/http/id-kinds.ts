import { type IdPrefix, uuidOf } from '#libs/domain';

const nouns: Readonly<Record<IdPrefix, string>> = {
  job: 'a job',
  batch: 'a batch',
  file: 'a file',
  evt: 'an event',
  ep: 'a webhook endpoint',
  dlv: 'a delivery',
  acct: 'an account',
  key: 'an API key',
  sec: 'a secret',
  rec: 'a recovery',
};

/** Why a text is no id of that prefix. */
export function wrongIdSentence(prefix: IdPrefix, id: string): string {
  const shown = id.slice(0, 100);
  if (id.startsWith(`${prefix}_`))
    return `${shown} is no id: ${prefix}_ is followed by 26 characters, of 0-9 and a-z without i, l, o and u`;
  const rule = `the id of ${nouns[prefix]} begins with ${prefix}_`;
  const other = (Object.keys(nouns) as IdPrefix[]).find((known) => uuidOf(known, id) !== null);
  return other === undefined ? `${shown} is no id: ${rule}` : `${shown} is the id of ${nouns[other]}; ${rule}`;
}
