import type { Logger } from 'pino';
import { readUrl, type SecretKeyring } from '#libs/domain';
import { reach } from '#libs/failpoints';
import type { ClaimedDelivery } from '#libs/persistence';
import { metrics } from '../metrics.js';
import type { SendResult } from '../send-request/exchange.js';
import { outcomeOfStatus } from '../send-request/outcome-of.js';
import { retryAfterMs } from '../send-request/retry-after.js';
import type { SendRequest } from '../send-request/send-request.js';
import { type AttemptResult, nextOfDelivery } from './attempt-result.js';
import type { EndpointPace } from './endpoint-pace.js';
import { logged } from './logged.js';
import { maskHeaderValues } from './mask-header-values.js';
import { prepareRequest } from './prepare-request.js';
import type { SettleDelivery } from './settle-delivery.js';

/** What every attempt is made with. */
export interface DeliverWebhookOptions {
  readonly keyring: SecretKeyring;
  readonly sender: SendRequest;
  readonly settler: SettleDelivery;
  /** Told how long every attempt took. */
  readonly pace: EndpointPace;
  readonly timeoutMs: number;
  readonly userAgent: string;
  readonly log: Logger;
}

/** Makes one attempt of a claimed delivery: sign, send, settle. */
export class DeliverWebhook {
  constructor(private readonly options: DeliverWebhookOptions) {}

  /**
   * Never rejects: what cannot be settled is logged and claimed again when its lease ends.
   *
   * @param leaseEndsAtMs on the monotonic clock
   */
  async deliver(claimed: ClaimedDelivery, leaseEndsAtMs: number, signal: AbortSignal): Promise<void> {
    try {
      await reach('delivery.after-claim');
      const { result, error } = await this.attempt(claimed, leaseEndsAtMs, signal);
      if (result.statusCode !== null) await reach('delivery.after-answer');
      await this.settle(claimed, result, { leaseEndsAtMs, error });
    } catch (error) {
      metrics.unsettled.inc();
      this.options.log.error({ ...logged(claimed), err: error }, 'delivery.unsettled');
    }
  }

  private async attempt(
    claimed: ClaimedDelivery,
    leaseEndsAtMs: number,
    signal: AbortSignal,
  ): Promise<{ readonly result: AttemptResult; readonly error?: Error | undefined }> {
    const { keyring, sender, timeoutMs, userAgent } = this.options;
    const startedAtMs = performance.now();
    observeFirstAttempt(claimed);
    const prepared = prepareRequest(claimed, keyring, { at: new Date(), userAgent });
    if (prepared.kind === 'unsigned') {
      this.options.log.error({ ...logged(claimed), err: prepared.error }, 'delivery.unsigned');
      return { result: failed('unsigned', 0), error: prepared.error };
    }
    const sent = await sender.send(prepared.request, { timeoutMs, leaseEndsAtMs, signal });
    const durationMs = Math.round(performance.now() - startedAtMs);
    if (sent.kind === 'answered') return { result: answered(sent, durationMs, prepared.headerValues) };
    if (sent.kind === 'cut_off') return { result: { ...failed('unknown', durationMs), isCutOff: true } };
    return { result: failed(sent.outcome, durationMs), error: sent.error };
  }

  private async settle(
    claimed: ClaimedDelivery,
    result: AttemptResult,
    context: { readonly leaseEndsAtMs: number; readonly error: Error | undefined },
  ): Promise<void> {
    const { outcome, durationMs, statusCode, responseBody, retryAfterMs } = result;
    const next = nextOfDelivery(result, claimed, Math.random());
    const end = { deliveryId: claimed.id, claim: claimed.claim, outcome, durationMs, statusCode, responseBody, next };
    this.options.pace.note(claimed.endpointId, durationMs, outcome === 'delivered');
    const settled = await this.options.settler.settle({ claimed, end, retryAfterMs }, context.leaseEndsAtMs);
    metrics.attempts.inc({ outcome });
    metrics.seconds.observe(durationMs / 1_000);
    metrics.settles.inc({ outcome: settled });
    this.options.log.info(
      {
        ...logged(claimed),
        eventType: claimed.eventType,
        url: loggedUrl(claimed.url),
        attempt: claimed.attempt,
        outcome,
        statusCode,
        durationMs,
        settled,
        next,
        reason: context.error?.message,
      },
      'delivery.attempted',
    );
  }
}

/** Redeliveries are no first attempts: their events are old. */
function observeFirstAttempt({ attempt, isRedelivery, lane, occurredAt }: ClaimedDelivery): void {
  if (attempt > 1 || isRedelivery || lane === 'recovered') return;
  metrics.firstAttempt.observe(Math.max(0, Date.now() - occurredAt.getTime()) / 1_000);
}

/** Without credentials and query, which may hold secrets. */
function loggedUrl(text: string): string {
  const url = readUrl(text);
  return url === null ? '' : url.origin + url.pathname;
}

function answered(
  sent: Extract<SendResult, { kind: 'answered' }>,
  durationMs: number,
  headerValues: readonly string[],
): AttemptResult {
  return {
    outcome: outcomeOfStatus(sent.statusCode),
    durationMs,
    statusCode: sent.statusCode,
    responseBody: maskHeaderValues(sent.body, headerValues),
    retryAfterMs: retryAfterMs(sent.retryAfter, new Date()),
    isCutOff: false,
  };
}

function failed(outcome: AttemptResult['outcome'], durationMs: number): AttemptResult {
  return { outcome, durationMs, statusCode: null, responseBody: null, retryAfterMs: null, isCutOff: false };
}
