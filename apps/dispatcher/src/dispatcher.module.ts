import { type DynamicModule, Module } from '@nestjs/common';
import type { Logger } from 'pino';
import { version } from '#libs/contract';
import { AddressGuard, type SecretKeyring } from '#libs/domain';
import type { Announcer } from '#libs/messaging';
import { type Database, DeliveryQueue, EndpointStore, EventStore, type OutboxRoute } from '#libs/persistence';
import type { DispatcherConfig } from './config.js';
import { DeliverWebhook } from './deliver-webhook/deliver-webhook.js';
import { DeliverySweeper } from './deliver-webhook/delivery-sweeper.js';
import { Dispatcher } from './deliver-webhook/dispatcher.js';
import { SettleDelivery } from './deliver-webhook/settle-delivery.js';
import { EventsController } from './events.controller.js';
import { SendRequest } from './send-request/send-request.js';
import { type ResolveHost, systemResolver } from './send-request/vetting-lookup.js';
import { webhookAgent } from './send-request/webhook-agent.js';

/** What a dispatcher is made of; the process opens these once and closes them last. */
export interface DispatcherParts {
  readonly config: DispatcherConfig;
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

const userAgent = `pdfonce/${version}`;
const endpointCap = 10;
const sweepEveryMs = 3_000;

/** Delivers webhooks: alone as a process, or together with the other apps in one. */
@Module({})
export class DispatcherModule {
  static register(parts: DispatcherParts): DynamicModule {
    const queue = new DeliveryQueue(parts.database);
    return {
      module: DispatcherModule,
      controllers: [EventsController],
      providers: [
        { provide: Dispatcher, useFactory: () => dispatcher(parts, queue) },
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

function dispatcher(parts: DispatcherParts, queue: DeliveryQueue): Dispatcher {
  const { config } = parts;
  const timeoutMs = config.WEBHOOK_TIMEOUT;
  const guard = new AddressGuard(config.WEBHOOK_ALLOW);
  const agent = webhookAgent(guard, parts.resolve ?? systemResolver());
  const deliver = deliverWebhook(parts, new SendRequest(agent, guard), queue, timeoutMs);
  return new Dispatcher({
    claim: (request) => queue.claim(request),
    deliver: (claimed, leaseEndsAtMs, signal) => deliver.deliver(claimed, leaseEndsAtMs, signal),
    slots: config.WEBHOOK_CONCURRENCY,
    endpointCap,
    timeoutMs,
    pollMs: config.POLL_INTERVAL,
    graceMs: config.SHUTDOWN_GRACE,
    close: () => agent.destroy(),
    log: parts.log,
  });
}

function deliverWebhook(
  { database, eventRoute, announcer, keyring, log }: DispatcherParts,
  sender: SendRequest,
  queue: DeliveryQueue,
  timeoutMs: number,
): DeliverWebhook {
  const endpoints = new EndpointStore(database);
  const events = new EventStore(eventRoute);
  const settler = new SettleDelivery({ database, queue, endpoints, events, announcer, log });
  return new DeliverWebhook({ keyring, sender, settler, timeoutMs, userAgent, log });
}
