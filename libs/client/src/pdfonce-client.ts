import { ApiKeys } from './calls/api-keys.js';
import { Batches } from './calls/batches.js';
import { Deliveries } from './calls/deliveries.js';
import { Events } from './calls/events.js';
import { Files } from './calls/files.js';
import { Jobs } from './calls/jobs.js';
import { Outputs } from './calls/outputs.js';
import { Recoveries } from './calls/recoveries.js';
import { WebhookEndpoints } from './calls/webhook-endpoints.js';
import { type CallOptions, type ClientOptions, limitsOf, usualLimits } from './client-options.js';
import { systemClock } from './request/clock.js';
import { pathOf, withQuery } from './request/path.js';
import { Requests } from './request/requests.js';
import { SendRequest } from './request/send-request.js';
import type { Usage } from './wire/usage.js';

/** What usage to sum up: 30 days when left out, at most 400 days. RFC 3339. */
export interface UsageQuery {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

/**
 * A client of a pdfonce service. Every request that creates or changes something has one idempotency key, given or made before the first
 * attempt, under which it is repeated until it is answered: it happens once, however often the connection breaks.
 */
export class PdfonceClient {
  readonly jobs: Jobs;
  readonly batches: Batches;
  readonly files: Files;
  readonly outputs: Outputs;
  readonly webhookEndpoints: WebhookEndpoints;
  readonly recoveries: Recoveries;
  readonly deliveries: Deliveries;
  readonly events: Events;
  readonly apiKeys: ApiKeys;
  readonly #requests: Requests;

  /** @throws TypeError for a `url` that is none or ends in `/v1`, RangeError for limits that cannot be kept */
  constructor({ url, apiKey, fetch = globalThis.fetch, ...options }: ClientOptions) {
    const limits = limitsOf(options, usualLimits);
    const sending = new SendRequest({ url: baseOf(url), apiKey, fetch }, systemClock);
    const requests = new Requests(sending, limits);
    this.#requests = requests;
    this.jobs = new Jobs(requests, systemClock);
    this.batches = new Batches(requests, systemClock);
    this.files = new Files(requests);
    this.outputs = new Outputs(requests, limits, systemClock);
    this.webhookEndpoints = new WebhookEndpoints(requests);
    this.recoveries = new Recoveries(requests);
    this.deliveries = new Deliveries(requests);
    this.events = new Events(requests);
    this.apiKeys = new ApiKeys(requests);
  }

  /** What was charged. */
  usage({ from, to }: UsageQuery = {}, options?: CallOptions): Promise<Usage> {
    return this.#requests.get(withQuery(pathOf('usage'), { from, to }), options);
  }
}

/** @throws TypeError for a url that is none, or has the `/v1` with which every path begins */
function baseOf(url: string | URL): string {
  const { origin, pathname } = new URL(url);
  const base = `${origin}${pathname.replace(/\/+$/, '')}`;
  if (base.endsWith('/v1')) throw new TypeError(`the url ${base} is to be given without /v1, which the client adds`);
  return base;
}
