import { sealingKeyId, SecretKeyError, type SecretKeyring } from '#libs/domain';
import type { Resealed, SealedKind, SealedPage, SealedPlace, SealedStore, SealedValue } from '#libs/persistence';

const pageRows = 500;

/**
 * Seals every value of a kind again that is not sealed with the current key, page by page. Each page is a statement of its own that replaces
 * only what is still as it was read, so it runs beside processes that write, and a run that was broken off is taken up by the next one. What cannot
 * be opened stays.
 *
 * @param onPage is told after each page how many values of the kind were sealed again
 */
export async function reencrypt(
  store: SealedStore,
  keyring: SecretKeyring,
  kind: SealedKind,
  onPage: (resealed: number) => void = () => undefined,
): Promise<number> {
  let resealed = 0;
  for await (const values of pages(store, kind)) {
    const stale = values.filter(({ sealed }) => sealingKeyId(sealed) !== keyring.currentId);
    const fresh = stale.flatMap((value) => resealedBy(keyring, value) ?? []);
    if (fresh.length === 0) continue;
    resealed += await store.replace(kind, fresh);
    onPage(resealed);
  }
  return resealed;
}

/** How many values of a kind each key seals, by its id. */
export async function countByKey(store: SealedStore, kind: SealedKind): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>();
  for await (const values of pages(store, kind)) {
    for (const { sealed } of values) {
      const keyId = sealingKeyId(sealed);
      counts.set(keyId, (counts.get(keyId) ?? 0) + 1);
    }
  }
  return counts;
}

async function* pages(store: SealedStore, kind: SealedKind): AsyncGenerator<readonly SealedValue[], void> {
  let after: SealedPlace | null = null;
  do {
    const { values, next }: SealedPage = await store.page(kind, after, pageRows);
    yield values;
    after = next;
  } while (after !== null);
}

function resealedBy(keyring: SecretKeyring, value: SealedValue): Resealed | null {
  try {
    return { ...value, fresh: keyring.seal(keyring.open(value.sealed)) };
  } catch (error) {
    if (error instanceof SecretKeyError) return null;
    throw error;
  }
}
