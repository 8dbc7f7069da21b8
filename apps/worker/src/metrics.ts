import { Counter, Gauge, Histogram } from 'prom-client';

/** What a worker counts. Names are those of the process's metrics page. */
export const metrics = {
  claims: new Counter({
    name: 'pdfonce_worker_claims_total',
    help: 'Jobs claimed.',
  }),
  commands: new Counter({
    name: 'pdfonce_worker_commands_total',
    help: 'Commands taken from the jobs topic.',
  }),
  attempts: new Counter({
    name: 'pdfonce_worker_attempts_total',
    help: 'Ends of attempts: what they came to.',
    labelNames: ['end'] as const,
  }),
  settles: new Counter({
    name: 'pdfonce_worker_settles_total',
    help: 'Settlements of jobs: settled, settled-before, superseded (the result was dropped), output-collected.',
    labelNames: ['outcome'] as const,
  }),
  rescues: new Counter({
    name: 'pdfonce_worker_rescues_total',
    help: 'Jobs taken from workers that were not heard of.',
    labelNames: ['outcome'] as const,
  }),
  running: new Gauge({
    name: 'pdfonce_worker_running_jobs',
    help: 'Jobs at work in this process.',
  }),
  waitSeconds: new Histogram({
    name: 'pdfonce_worker_job_wait_seconds',
    help: 'From the moment a job was ready to its claim.',
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60, 300],
  }),
  pruned: new Counter({
    name: 'pdfonce_worker_pruned_rows_total',
    help: 'Rows past their time that were removed.',
    labelNames: ['kind'] as const,
  }),
  collectedObjects: new Counter({
    name: 'pdfonce_worker_collected_objects_total',
    help: 'Stored objects that were removed because nothing needs them.',
  }),
};
