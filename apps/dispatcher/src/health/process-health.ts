import type { Database } from '#libs/persistence';

/** Whether a dispatcher process can work, and what it reaches. */
export interface HealthReport {
  readonly status: 'ok' | 'unavailable';
  readonly postgres: boolean;
  /** `null` without Kafka. */
  readonly kafka: boolean | null;
}

/** The health of a dispatcher that runs as a process of its own. Kafka is told and does not gate: a poll finds what is due. */
export class ProcessHealth {
  constructor(
    private readonly database: Database,
    private readonly isKafkaConnected: (() => boolean) | null,
  ) {}

  async report(): Promise<HealthReport> {
    const postgres = await this.database.isReachable();
    return { status: postgres ? 'ok' : 'unavailable', postgres, kafka: this.isKafkaConnected?.() ?? null };
  }
}
