import type { Database } from '#libs/persistence';
import type { Worker } from '../worker.js';

/** Whether a worker process can work, and what it reaches. */
export interface HealthReport {
  readonly status: 'ok' | 'unavailable';
  readonly postgres: boolean;
  /** `null` without Kafka. */
  readonly kafka: boolean | null;
}

/** The health of a worker that runs as a process of its own. */
export class ProcessHealth {
  constructor(
    private readonly worker: Worker,
    private readonly database: Database,
    private readonly isKafkaConnected: (() => boolean) | null,
  ) {}

  async report(): Promise<HealthReport> {
    const postgres = await this.database.isReachable();
    const kafka = this.isKafkaConnected?.() ?? null;
    return { status: postgres && this.worker.isReady ? 'ok' : 'unavailable', postgres, kafka };
  }
}
