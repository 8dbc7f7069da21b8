import { Counter, Gauge, Histogram } from 'prom-client';

/** What a dispatcher counts, in the default registry of its process. */
export const metrics = {
  attempts: new Counter({
    name: 'pdfonce_delivery_attempts_total',
    help: 'Webhook attempts by how they ended.',
    labelNames: ['outcome'],
  }),
  seconds: new Histogram({
    name: 'pdfonce_delivery_attempt_seconds',
    help: 'Time of one webhook attempt, from signing to the end of the answer.',
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15, 30],
  }),
  settles: new Counter({
    name: 'pdfonce_delivery_settles_total',
    help: 'Settlements of attempts: settled, settled-before, superseded (the result was dropped).',
    labelNames: ['outcome'],
  }),
  unsettled: new Counter({
    name: 'pdfonce_delivery_attempts_unsettled_total',
    help: 'Attempts whose result could not be recorded; they are made again when their lease ends.',
  }),
  open: new Gauge({ name: 'pdfonce_deliveries_open', help: 'Deliveries that this process holds now.' }),
  swept: new Counter({
    name: 'pdfonce_deliveries_swept_total',
    help: 'Deliveries that were ended without an attempt, by their state.',
    labelNames: ['state'],
  }),
} as const;
