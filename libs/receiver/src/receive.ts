import type { Inbox } from './inbox/inbox.js';
import { VerificationError } from './verify/verification-error.js';
import { type ReceivedRequest, type Verification, verifyEvent } from './verify/verify-event.js';
import type { WebhookEvent } from './wire/webhook-event.js';

/** A request, what to verify it with, and what to do with its event. */
export interface Receiving<Transaction> extends ReceivedRequest, Verification {
  readonly inbox: Inbox<Transaction>;
  /** The effect of an event. What it writes by way of the transaction is written once. Ignore types that you do not know. */
  readonly handle: (event: WebhookEvent, transaction: Transaction) => Promise<void>;
}

/** What became of a request, and the HTTP status to answer it with. The sender repeats what is not answered with 2xx. */
export type Reception =
  | { readonly outcome: 'handled' | 'seen_before'; readonly status: 204; readonly event: WebhookEvent }
  | { readonly outcome: 'refused'; readonly status: 400 | 401; readonly error: VerificationError }
  | { readonly outcome: 'busy'; readonly status: 503; readonly event: WebhookEvent }
  | { readonly outcome: 'failed'; readonly status: 500; readonly event: WebhookEvent; readonly error: unknown };

/**
 * Verifies a request and lets its event have its effect once.
 *
 * @throws TypeError when the body is not raw, or a secret is none: a mistake of the program
 */
export async function receive<Transaction>(receiving: Receiving<Transaction>): Promise<Reception> {
  const { inbox, handle } = receiving;
  const event = verifiedEvent(receiving);
  if (event instanceof VerificationError) return { outcome: 'refused', status: event.status, error: event };
  try {
    const outcome = await inbox.handleOnce(event.id, (transaction) => handle(event, transaction));
    return outcome === 'busy' ? { outcome, status: 503, event } : { outcome, status: 204, event };
  } catch (error) {
    return { outcome: 'failed', status: 500, event, error };
  }
}

function verifiedEvent(receiving: ReceivedRequest & Verification): WebhookEvent | VerificationError {
  try {
    return verifyEvent(receiving, receiving);
  } catch (error) {
    if (error instanceof VerificationError) return error;
    throw error;
  }
}
