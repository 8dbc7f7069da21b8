import { backOffMs } from '#libs/pace';
import type { EachBatchPayload } from 'kafkajs';
import type { Logger } from 'pino';
import type { DeadLetter } from './dead-letters.js';
import { decodeRecord } from './envelope.js';
import type { InboundMessage } from './inbound-message.js';

/** What happens to the two kinds of records of a batch. */
export interface BatchSteps {
  readonly handle: (topic: string, messages: readonly InboundMessage[]) => Promise<void>;
  readonly deadLetter: (topic: string, letters: readonly DeadLetter[]) => Promise<void>;
  readonly log: Logger;
}

const backOff = { firstMs: 100, maxMs: 5_000 };
const heartbeatMs = 250;

/**
 * Takes one fetched batch: one call of the handler for what can be read, dead letters for what cannot, then the batch's offset is resolved. A
 * step that fails is repeated with back-off until it succeeds or the consumer is stopped; meanwhile the member keeps
 * its place in the group, so that neither a long nor a failing step makes the group hand the batch out a second time.
 *
 * @throws only what a heartbeat throws, such as a rebalance: the batch then comes again, here or elsewhere
 */
export async function consumeBatch(payload: EachBatchPayload, steps: BatchSteps): Promise<void> {
  const { topic, partition, messages } = payload.batch;
  const readable: InboundMessage[] = [];
  const letters: DeadLetter[] = [];
  for (const message of messages) {
    const decoded = decodeRecord(message);
    if (decoded.kind === 'message') readable.push(decoded.message);
    else letters.push({ message, partition, reason: decoded.reason });
  }
  const handled = readable.length === 0 || (await persist(payload, () => steps.handle(topic, readable), steps.log));
  if (!handled) return;
  const buried = letters.length === 0 || (await persist(payload, () => steps.deadLetter(topic, letters), steps.log));
  if (!buried) return;
  for (const { message, reason } of letters) {
    steps.log.error({ topic, partition, offset: message.offset, reason }, 'record.dead-lettered');
  }
  const last = messages.at(-1);
  if (last) payload.resolveOffset(last.offset);
}

async function persist(payload: EachBatchPayload, step: () => Promise<void>, log: Logger): Promise<boolean> {
  const { topic, partition } = payload.batch;
  for (let failures = 1; payload.isRunning(); failures += 1) {
    try {
      await keepingAlive(step(), payload);
      return true;
    } catch (error) {
      const detail = { err: error, topic, partition, offset: payload.batch.firstOffset(), failures };
      log.error(detail, 'batch.failed');
    }
    await backOffAlive(backOffMs(failures, backOff, Math.random()), payload);
  }
  return false;
}

async function keepingAlive(work: Promise<void>, payload: EachBatchPayload): Promise<void> {
  const timer = setInterval(() => void payload.heartbeat().catch(() => undefined), heartbeatMs);
  try {
    await work;
  } finally {
    clearInterval(timer);
  }
}

async function backOffAlive(ms: number, payload: EachBatchPayload): Promise<void> {
  const until = performance.now() + ms;
  while (payload.isRunning() && performance.now() < until) {
    await new Promise((resolve) => setTimeout(resolve, Math.min(heartbeatMs, until - performance.now())));
    await payload.heartbeat();
  }
}
