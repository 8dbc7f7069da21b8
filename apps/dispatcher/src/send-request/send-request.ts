import type { Dispatcher } from 'undici';
import type { AddressGuard } from '#libs/domain';
import { AddressRefused } from '#libs/egress';
import { Exchange, failure, type SendResult } from './exchange.js';

/** One request as it goes out. */
export interface WebhookRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** The bounds of one request. */
export interface SendLimits {
  readonly timeoutMs: number;
  /** When the lease ends, on the monotonic clock (`performance.now()`). */
  readonly leaseEndsAtMs: number;
  /** Aborts the request; what the receiver made of it stays unknown. */
  readonly signal: AbortSignal;
}

/** Sends requests through the address guard. Never rejects for what a receiver or the network does. */
export class SendRequest {
  constructor(
    private readonly agent: Dispatcher,
    private readonly guard: AddressGuard,
  ) {}

  /** Sends once; the answer comes when its end, 64 KiB of its body, or a limit is reached. */
  async send(request: WebhookRequest, limits: SendLimits): Promise<SendResult> {
    const verdict = this.guard.vetUrl(request.url);
    if (verdict.kind === 'refused')
      return { kind: 'failed', outcome: 'address_refused', error: new AddressRefused(verdict) };
    const holdsLease = (): boolean => performance.now() < limits.leaseEndsAtMs;
    if (!holdsLease()) return failure('lease_lost', 'the lease ended');
    if (limits.signal.aborted) return { kind: 'cut_off' };
    return this.exchange(request, limits, new Exchange(holdsLease));
  }

  private async exchange(request: WebhookRequest, limits: SendLimits, exchange: Exchange): Promise<SendResult> {
    const leaseMs = limits.leaseEndsAtMs - performance.now();
    const timer =
      limits.timeoutMs <= leaseMs
        ? setTimeout(() => exchange.end(failure('timeout', 'no answer in time')), limits.timeoutMs)
        : setTimeout(() => exchange.end(failure('lease_lost', 'the lease ended')), leaseMs);
    const abort = (): void => exchange.end({ kind: 'cut_off' });
    limits.signal.addEventListener('abort', abort, { once: true });
    try {
      const { origin, pathname, search } = new URL(request.url);
      this.agent.dispatch(
        { origin, path: pathname + search, method: 'POST', headers: { ...request.headers }, body: request.body },
        exchange,
      );
      return await exchange.result;
    } finally {
      clearTimeout(timer);
      limits.signal.removeEventListener('abort', abort);
    }
  }
}
