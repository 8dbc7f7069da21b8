import { readSettings } from '#libs/contract';
import type { SecretKeyring } from '#libs/domain';
import { sealedKinds, SealedStore } from '#libs/persistence';
import { runCommand } from '#libs/process';
import { countByKey, reencrypt } from '../reencrypt/reencrypt.js';
import { withDatabase } from './with-database.js';

const about = `Encrypts again, with the first key of SECRET_KEY, what other keys have encrypted: secrets and headers of webhook endpoints,
passwords of inputs, and stored answers that show a secret. It runs beside the service, may be broken off and run again, and says what is left under
which key; it ends with 1 while anything is.`;

await runCommand({ usage: 'npm run reencrypt', about, options: {} }, async () => {
  const { DATABASE_URL, SECRET_KEY: keyring } = readSettings(process.env, ['DATABASE_URL', 'SECRET_KEY']);
  await withDatabase(DATABASE_URL, async (database) => {
    const store = new SealedStore(database);
    let others = 0;
    for (const kind of sealedKinds) {
      const resealed = await reencrypt(store, keyring, kind, (done) => console.error(`${kind}: ${done} so far`));
      const counts = await countByKey(store, kind);
      console.log(`${kind}: ${resealed} encrypted again with ${keyring.currentId}; ${described(counts)}`);
      for (const [keyId, count] of counts) if (keyId !== keyring.currentId) others += count;
    }
    for (const line of await linkLines(store, keyring)) console.log(line);
    if (others > 0) throw new Error(leftover(others));
  });
});

function described(counts: ReadonlyMap<string, number>): string {
  if (counts.size === 0) return 'there are none';
  return `now ${[...counts].map(([keyId, count]) => `${count} under ${keyId}`).join(', ')}`;
}

/** Links are signed, not encrypted: they were handed out and cannot be made again. */
async function linkLines(store: SealedStore, keyring: SecretKeyring): Promise<readonly string[]> {
  const others = (await store.linkKeys()).filter(({ keyId }) => keyId !== keyring.currentId);
  return others.map(
    ({ keyId, links, until }) =>
      `download links: ${links} are signed with ${keyId}, the last until ${until.toISOString()}`,
  );
}

function leftover(others: number): string {
  return `${others} value(s) are left under other keys: SECRET_KEY has no such key, or a process still has another key first. Mend that and run this again`;
}
