import { type DynamicModule, Module } from '@nestjs/common';
import type { Logger } from 'pino';
import { version } from '#libs/contract';
import { AddressGuard, type EndpointHealthLimits, endpointHealthLimits, type SecretKeyring } from '#libs/domain';
import { GuardedAgent, type ResolveHost, systemResolver } from '#libs/egress';
import type { Announcer } from '#libs/messaging';
import {
  type Database,
  deliveryBacklog,
  DeliveryQueue,
  EndpointHealthStore,
  EventStore,
  type OutboxRoute,
  RecoveryStore,
} from '#libs/persistence';
import type { DispatcherConfig } from './config.js';
import { BacklogWatch } from './deliver-webhook/backlog-watch.js';
import { ChangeEndpointHealth } from './deliver-webhook/change-endpoint-health.js';
import { DeliverWebhook } from './deliver-webhook/deliver-webhook.js';
import { DeliverySweeper } from './deliver-webhook/delivery-sweeper.js';
import { Dispatcher } from './deliver-webhook/dispatcher.js';
import { EndpointPace } from './deliver-webhook/endpoint-pace.js';
import { SettleDelivery } from './deliver-webhook/settle-delivery.js';
import { EventsController } from './events.controller.js';
import { RecoveryRunner } from './recover-endpoint/recovery-runner.js';
import { SendRequest } from './send-request/send-request.js';

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
  /** When endpoints are failing, probed and disabled; those of every endpoint when left out. */
  readonly healthLimits?: EndpointHealthLimits;
}

const userAgent = `pdfonce/${version}`;
const sweepEveryMs = 3_000;
const watchEveryMs = 5_000;
const recoverEveryMs = 1_000;

/** Delivers webhooks: alone as a process, or together with the other apps in one. */
@Module({})
export class DispatcherModule {
  static register(parts: DispatcherParts): DynamicModule {
    const { database, log } = parts;
    const queue = new DeliveryQueue(database);
    return {
      module: DispatcherModule,
      controllers: [EventsController],
      providers: [
        { provide: Dispatcher, useFactory: () => dispatcher(parts, queue) },
        { provide: DeliverySweeper, useFactory: () => sweeper(queue, log) },
        {
          provide: BacklogWatch,
          useFactory: () => new BacklogWatch({ read: () => deliveryBacklog(database), everyMs: watchEveryMs, log }),
        },
        {
          provide: RecoveryRunner,
          inject: [Dispatcher],
          useFactory: (dispatcher: Dispatcher) => recoveryRunner(parts, dispatcher),
        },
      ],
      exports: [Dispatcher],
    };
  }
}

function sweeper(queue: DeliveryQueue, log: Logger): DeliverySweeper {
  return new DeliverySweeper({
    sweep: (limit) => queue.sweep(limit),
    rest: (limit) => queue.restEndpoints(limit),
    everyMs: sweepEveryMs,
    log,
  });
}

function recoveryRunner({ database, log }: DispatcherParts, dispatcher: Dispatcher): RecoveryRunner {
  const recoveries = new RecoveryStore(database);
  return new RecoveryRunner({
    step: (limits) => database.transaction((tx) => recoveries.step(tx, limits)),
    everyMs: recoverEveryMs,
    onDue: () => dispatcher.wake(),
    log,
  });
}

function dispatcher(parts: DispatcherParts, queue: DeliveryQueue): Dispatcher {
  const { config } = parts;
  const timeoutMs = config.WEBHOOK_TIMEOUT;
  const guard = new AddressGuard(config.WEBHOOK_ALLOW);
  const agent = new GuardedAgent({ guard, resolve: parts.resolve ?? systemResolver() });
  const pace = new EndpointPace();
  const sender = new SendRequest(agent, guard);
  const { keyring, log } = parts;
  const deliver = new DeliverWebhook({
    keyring,
    sender,
    settler: settler(parts, queue),
    pace,
    timeoutMs,
    userAgent,
    log,
  });
  return new Dispatcher({
    claim: (request) => queue.claim(request),
    deliver: (claimed, leaseEndsAtMs, signal) => deliver.deliver(claimed, leaseEndsAtMs, signal),
    pace,
    slots: config.WEBHOOK_CONCURRENCY,
    timeoutMs,
    pollMs: config.POLL_INTERVAL,
    graceMs: config.SHUTDOWN_GRACE,
    close: () => agent.destroy(),
    log,
  });
}

function settler(parts: DispatcherParts, queue: DeliveryQueue): SettleDelivery {
  const { database, eventRoute, announcer, log } = parts;
  const health = new ChangeEndpointHealth({
    health: new EndpointHealthStore(),
    events: new EventStore(eventRoute),
    limits: parts.healthLimits ?? endpointHealthLimits,
  });
  return new SettleDelivery({ database, queue, health, announcer, log });
}
