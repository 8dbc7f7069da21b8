import { setTimeout as sleep } from 'node:timers/promises';

/** Waits `ms`, or shorter when `signal` aborts; never rejects. */
export async function pause(ms: number, signal?: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => undefined);
}
