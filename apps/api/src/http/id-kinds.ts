import { type IdPrefix, uuidOf } from '#libs/domain';

const nouns: Readonly<Record<IdPrefix, string>> = {
  job: 'job',
  batch: 'batch',
  file: 'file',
  evt: 'event',
  ep: 'webhook endpoint',
  dlv: 'delivery',
  acct: 'account',
  key: 'API key',
  sec: 'secret',
  rec: 'recovery',
};

/** Why a text is no id of that prefix. */
export function wrongIdSentence(prefix: IdPrefix, id: string): string {
  const shown = id.slice(0, 100);
  const rule = `the id of a ${nouns[prefix]} begins with ${prefix}_`;
  const other = (Object.keys(nouns) as IdPrefix[]).find((known) => uuidOf(known, id) !== null);
  return other === undefined ? `${shown} is no id: ${rule}` : `${shown} is the id of a ${nouns[other]}; ${rule}`;
}
