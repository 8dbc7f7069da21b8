/**
 * Maps items in order of their index, at most `limit` at a time. After the first error nothing more is begun; it is thrown when what was begun
 * has ended.
 */
export async function mapConcurrently<T, R>(
  items: readonly T[],
  limit: number,
  map: (item: T, index: number) => Promise<R>,
): Promise<R[]> {
  const results = new Array<R>(items.length);
  const entries = items.entries();
  const errors: unknown[] = [];
  const work = async (): Promise<void> => {
    for (const [index, item] of entries) {
      if (errors.length > 0) return;
      try {
        results[index] = await map(item, index);
      } catch (error) {
        errors.push(error);
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, work));
  if (errors.length > 0) throw errors[0];
  return results;
}
