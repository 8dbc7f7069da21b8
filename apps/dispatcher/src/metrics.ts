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
  firstAttempt: new Histogram({
    name: 'pdfonce_delivery_first_attempt_seconds',
    help: 'Time from an event to its first attempt at an endpoint, parked deliveries included.',
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15, 60, 300, 3600, 86400],
  }),
  leasesExpired: new Counter({
    name: 'pdfonce_delivery_leases_expired_total',
    help: 'Deliveries that this process took over because the lease of their sender had ended.',
  }),
  open: new Gauge({
    name: 'pdfonce_deliveries_open',
    help: 'Deliveries that this process holds now, by the lane whose slots they take.',
    labelNames: ['lane'],
  }),
  swept: new Counter({
    name: 'pdfonce_deliveries_swept_total',
    help: 'Deliveries that were ended without an attempt, or parked after their sender was lost, by their state.',
    labelNames: ['state'],
  }),
  transitions: new Counter({
    name: 'pdfonce_endpoint_transitions_total',
    help: 'Changes of the state of endpoints that attempts of this process made, by the type of their event.',
    labelNames: ['type'],
  }),
  lag: new Gauge({
    name: 'pdfonce_delivery_due_lag_seconds',
    help: 'How long the earliest delivery that is due has been due, by its rank, of all dispatchers, without parked ones.',
    labelNames: ['rank'],
  }),
  failingEndpoints: new Gauge({ name: 'pdfonce_endpoints_failing', help: 'Endpoints that are failing now.' }),
  parked: new Gauge({
    name: 'pdfonce_deliveries_parked',
    help: 'Deliveries that wait for failing endpoints, 100000 at most.',
  }),
  oldest: new Gauge({
    name: 'pdfonce_delivery_oldest_seconds',
    help: 'Age of the oldest delivery that has not ended, parked ones included.',
  }),
  recovered: new Counter({
    name: 'pdfonce_deliveries_recovered_total',
    help: 'Deliveries that recoveries made due: rearmed (there was one) or inserted.',
    labelNames: ['kind'],
  }),
} as const;
