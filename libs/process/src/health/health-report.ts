import type { DatabaseState } from '#libs/persistence';

/** Whether a process can work, and what it reaches. */
export interface HealthReport {
  /** Postgres, with the schema of this version, decides; Kafka is told and does not gate. */
  readonly status: 'ready' | 'unavailable';
  readonly postgres: DatabaseState;
  readonly kafka: 'off' | 'connected' | 'unreachable';
  /** What the system lacks that the process would use, and works without. */
  readonly missing: readonly string[];
}

/** How a process finds out. */
export interface HealthSource {
  readonly databaseState: () => Promise<DatabaseState>;
  /** `null` without Kafka. */
  readonly isKafkaConnected: (() => boolean) | null;
  /** Whether the process itself can work, Postgres given. */
  readonly isReady?: () => boolean;
  /** What the system lacks; nothing without it. */
  readonly missing?: () => readonly string[];
}

/** Asks what a process reaches. */
export async function healthReport(source: HealthSource): Promise<HealthReport> {
  const postgres = await source.databaseState();
  const isReady = postgres === 'reachable' && (source.isReady?.() ?? true);
  return {
    status: isReady ? 'ready' : 'unavailable',
    postgres,
    kafka: kafkaState(source.isKafkaConnected),
    missing: source.missing?.() ?? [],
  };
}

function kafkaState(isConnected: (() => boolean) | null): HealthReport['kafka'] {
  if (isConnected === null) return 'off';
  return isConnected() ? 'connected' : 'unreachable';
}
