/**
 * The same items, but an abort is seen even while the source is silent: the iteration then throws the signal's reason and
 * tells the source to stop, without waiting for it.
 */
export async function* abortable<T>(source: AsyncIterable<T>, signal: AbortSignal | undefined): AsyncGenerator<T> {
  if (signal === undefined) {
    yield* source;
    return;
  }
  const iterator = source[Symbol.asyncIterator]();
  let exhausted = false;
  try {
    for (;;) {
      const step = await nextOrAbort(iterator, signal);
      if (step.done === true) {
        exhausted = true;
        return;
      }
      yield step.value;
    }
  } finally {
    if (!exhausted) stop(iterator);
  }
}

function nextOrAbort<T>(iterator: AsyncIterator<T>, signal: AbortSignal): Promise<IteratorResult<T>> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(signal.reason as Error);
    if (signal.aborted) return onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    iterator
      .next()
      .then(resolve, reject)
      .finally(() => signal.removeEventListener('abort', onAbort));
  });
}

function stop(iterator: AsyncIterator<unknown>): void {
  iterator.return?.().catch(() => undefined);
}
