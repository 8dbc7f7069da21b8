import 'reflect-metadata';
import { Writable } from 'node:stream';
import type { INestMicroservice } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { MicroserviceOptions } from '@nestjs/microservices';
import { pino } from 'pino';
import type { DispatcherConfig } from '../../apps/dispatcher/src/config.js';
import { Dispatcher } from '../../apps/dispatcher/src/deliver-webhook/dispatcher.js';
import { DispatcherModule } from '../../apps/dispatcher/src/dispatcher.module.js';
import { AddressAllowList, type EndpointHealthLimits, endpointHealthLimits, type SecretKeyring } from '#libs/domain';
import type { ResolveHost } from '#libs/egress';
import { LocalBus, LocalTransport, type OutboxRecord } from '#libs/messaging';
import { Database } from '#libs/persistence';

/** A dispatcher in this process, on a database pool of its own. */
export interface RunningDispatcher {
  readonly bus: LocalBus;
  readonly log: readonly Record<string, unknown>[];
  readonly announced: readonly OutboxRecord[];
  wake(): void;
  /** Stops it as SIGTERM does. */
  stop(): Promise<void>;
}

export interface DispatcherStart {
  readonly databaseUrl: string;
  readonly keyring: SecretKeyring;
  readonly config?: Partial<DispatcherConfig>;
  readonly resolve?: ResolveHost;
  readonly healthLimits?: Partial<EndpointHealthLimits>;
}

const config: DispatcherConfig = {
  POLL_INTERVAL: 50,
  WEBHOOK_TIMEOUT: 2_000,
  WEBHOOK_CONCURRENCY: 20,
  WEBHOOK_ALLOW: AddressAllowList.parse(['127.0.0.0/8', '::1/128']),
  SHUTDOWN_GRACE: 4_000,
};

/** Starts a dispatcher as the standalone app composes it. */
export async function startDispatcher(start: DispatcherStart): Promise<RunningDispatcher> {
  const database = new Database({ url: start.databaseUrl, purpose: 'work', poolSize: 6 });
  const lines: Record<string, unknown>[] = [];
  const log = pino({ level: 'debug' }, linesInto(lines));
  const bus = new LocalBus();
  const announced: OutboxRecord[] = [];
  bus.subscribe((records) => announced.push(...records));
  const module = DispatcherModule.register({
    config: { ...config, ...start.config },
    database,
    keyring: start.keyring,
    announcer: bus,
    eventRoute: { topic: 'pdfonce.events.v1', state: 'local' },
    log,
    healthLimits: { ...endpointHealthLimits, ...start.healthLimits },
    ...(start.resolve === undefined ? {} : { resolve: start.resolve }),
  });
  const app: INestMicroservice = await NestFactory.createMicroservice<MicroserviceOptions>(module, {
    strategy: new LocalTransport({ bus, log }),
    logger: false,
    abortOnError: false,
  });
  await app.listen();
  let stopped: Promise<void> | undefined;
  return {
    bus,
    log: lines,
    announced,
    wake: () => app.get(Dispatcher).wake(),
    stop: () => (stopped ??= app.close().then(() => database.close())),
  };
}

function linesInto(lines: Record<string, unknown>[]): Writable {
  return new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      lines.push(JSON.parse(chunk.toString()) as Record<string, unknown>);
      done();
    },
  });
}
