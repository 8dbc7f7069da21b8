/**
 * Settings of a small server on one machine: nothing is traded against durability, and an idle server stays asleep (no
 * worker, replication or I/O processes that wake up without work).
 */
const settings: Readonly<Record<string, string>> = {
  cluster_name: 'pdfonce',
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  shared_buffers: '32MB',
  huge_pages: 'off',
  fsync: 'on',
  synchronous_commit: 'on',
  full_page_writes: 'on',
  wal_level: 'minimal',
  max_wal_senders: '0',
  min_wal_size: '64MB',
  max_wal_size: '256MB',
  checkpoint_timeout: '15min',
  io_method: 'sync',
  max_worker_processes: '2',
  max_parallel_workers: '0',
  max_parallel_workers_per_gather: '0',
  max_logical_replication_workers: '0',
  autovacuum_max_workers: '2',
  autovacuum_worker_slots: '2',
  jit: 'off',
  client_connection_check_interval: '2s',
  logging_collector: 'off',
  log_destination: 'stderr',
  log_timezone: 'UTC',
  log_checkpoints: 'off',
  timezone: 'UTC',
};

/** What the processes of one machine need. */
export const usualConnections = 60;

/** The command line of the server. */
export function serverArguments(dataDirectory: string, port: number, maxConnections: number): string[] {
  return [
    '-D',
    dataDirectory,
    '-p',
    String(port),
    '-c',
    `max_connections=${maxConnections}`,
    ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
  ];
}
