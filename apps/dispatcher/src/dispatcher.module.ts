import { type DynamicModule, Module } from '@nestjs/common';
import type { Logger } from 'pino';
import { AddressAllowList, AddressGuard, type SecretKeyring } from '#libs/domain';
import type { Announcer } from '#libs/messaging';
import { type Database, DeliveryQueue, EventStore, type OutboxRoute } from '#libs/persistence';
import type { DispatcherConfig } from './config.js';
import { DeliverWebhook } from './deliver-webhook/deliver-webhook.js';
import { DeliverySweeper } from './deliver-webhook/delivery-sweeper.js';
import { Dispatcher, leaseMarginMs } from './deliver-webhook/dispatcher.js';
import { SettleDelivery } from './deliver-webhook/settle-delivery.js';
import { EventsController } from './events.controller.js';
import { SendRequest } from './send-request/send-request.js';
import { type ResolveHost, systemResolver } from './send-request/vetting-lookup.js';
import { webhookAgent } from './send-request/webhook-agent.js';

/** What a dispatcher is made of; the process opens these once and closes them last. */
export interface DispatcherParts {
  readonly database: Database;
  readonly keyring: SecretKeyring;
  /** Told of every event after its commit. */
  readonly announcer: Announcer;
  /** Where the outbox rows of events go. */
  readonly eventRoute: OutboxRoute;
  readonly log: Logger;
  /** How names become addresses; as the system does it when left out. */
  readonly resolve?: ResolveHost;
}

const userAgent = 'pdfonce/0.1.0';
const endpointCap = 10;
const sweepEveryMs = 3_000;

/** Of the grace period, what is left for closing what the process opened. */
const closingMs = 2_000;

/** Delivers webhooks: alone as a process, or together with the other apps in one. */
@Module({})
export class DispatcherModule {
  static register(config: DispatcherConfig, parts: DispatcherParts): DynamicModule {
    const queue = new DeliveryQueue(parts.database);
    return {
      module: DispatcherModule,
      controllers: [EventsController],
      providers: [
        { provide: Dispatcher, useFactory: () => dispatcher(config, parts, queue) },
        {
          provide: DeliverySweeper,
          useFactory: () =>
            new DeliverySweeper({ sweep: (limit) => queue.sweep(limit), everyMs: sweepEveryMs, log: parts.log }),
        },
      ],
      exports: [Dispatcher],
    };
  }
}

function dispatcher(config: DispatcherConfig, parts: DispatcherParts, queue: DeliveryQueue): Dispatcher {
  const timeoutMs = config.WEBHOOK_TIMEOUT;
  const deliver = deliverWebhook(config, parts, queue);
  return new Dispatcher({
    claim: (request) => queue.claim(request),
    deliver: (claimed, leaseEndsAtMs, signal) => deliver.deliver(claimed, leaseEndsAtMs, signal),
    slots: config.WEBHOOK_CONCURRENCY,
    endpointCap,
    timeoutMs,
    leaseMs: timeoutMs + leaseMarginMs,
    pollMs: config.POLL_INTERVAL,
    graceMs: Math.max(config.SHUTDOWN_GRACE - closingMs, config.SHUTDOWN_GRACE / 2),
    log: parts.log,
  });
}

function deliverWebhook(config: DispatcherConfig, parts: DispatcherParts, queue: DeliveryQueue): DeliverWebhook {
  const { database, eventRoute, announcer, keyring, log, resolve = systemResolver() } = parts;
  const guard = new AddressGuard(AddressAllowList.parse(config.WEBHOOK_ALLOW));
  return new DeliverWebhook({
    keyring,
    sender: new SendRequest(webhookAgent(guard, resolve), guard),
    settler: new SettleDelivery(database, queue, new EventStore(eventRoute), announcer, log),
    timeoutMs: config.WEBHOOK_TIMEOUT,
    userAgent,
    log,
  });
}
