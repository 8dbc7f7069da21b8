import type { ApiAnswer, ApiClient } from '../support/api-client.js';
import type { CreateRequest } from './client.js';
import type { SeededRandom } from './random.js';

/** One of the two bodies that are sent under one key. */
export type Payload = 'a' | 'b';

/** One thing that a client wants to be made once. */
export interface Intent {
  readonly key: string;
  /** How many jobs it makes. */
  readonly jobs: number;
  request(payload: Payload): CreateRequest;
}

/** With what intents are made. */
export interface IntentParts {
  /** A document of one page. */
  readonly document: Uint8Array;
  /** The same, uploaded before. */
  readonly fileId: string;
  /** The API key of an account that may have one more endpoint. */
  readonly endpointAccount: () => Promise<string>;
}

/** How often an intent is sent, and with which bodies. */
export interface Sending {
  /** At once. */
  readonly together: readonly Payload[];
  /** After it was decided, one by one. */
  readonly later: readonly Payload[];
}

const mostTogether = 4;
const togetherShare = 0.4;
const otherShare = 0.35;
const laterShare = 0.4;
const mostItems = 5;

export function planSending(random: SeededRandom): Sending {
  const copies = random.chance(togetherShare) ? random.integer(2, mostTogether) : 1;
  const any = (): Payload => (random.chance(otherShare) ? 'b' : 'a');
  return {
    together: Array.from({ length: copies }, (_, index) => (index === 0 ? 'a' : any())),
    later: random.chance(laterShare) ? [any()] : [],
  };
}

/** A job on an uploaded file, or on the output of another job. */
export function jobIntent(key: string, input: object): Intent {
  return {
    ...{ key, jobs: 1 },
    request: (payload) => jsonRequest('/v1/jobs', { key, payload, jobs: 1 }, jobBody(input, payload)),
  };
}

export function multipartIntent(key: string, { document }: IntentParts): Intent {
  const request = (payload: Payload): CreateRequest => {
    const form = (): FormData => {
      const fields = new FormData();
      fields.set('operation', 'merge');
      fields.set('metadata', JSON.stringify({ payload }));
      for (const name of ['left.pdf', 'right.pdf']) fields.append('files', blobOf(document), name);
      return fields;
    };
    return formRequest('/v1/jobs', { key, payload, jobs: 1 }, form);
  };
  return { key, jobs: 1, request };
}

export function batchIntent(key: string, { fileId }: IntentParts, random: SeededRandom): Intent {
  const jobs = random.integer(2, mostItems);
  const request = (payload: Payload): CreateRequest => {
    const item = (_: unknown, index: number) => ({
      client_item_id: `item-${index}`,
      ...jobBody({ file_id: fileId }, payload),
    });
    return jsonRequest('/v1/batches', { key, payload, jobs }, { items: Array.from({ length: jobs }, item) });
  };
  return { key, jobs, request };
}

/** The name of the file tells key and payload. */
export function fileIntent(key: string, document: Uint8Array): Intent {
  const request = (payload: Payload): CreateRequest => {
    const form = (): FormData => {
      const fields = new FormData();
      fields.set('file', blobOf(document), `${key}.${payload}.pdf`);
      return fields;
    };
    return formRequest('/v1/files', { key, payload, jobs: 0 }, form);
  };
  return { key, jobs: 0, request };
}

/** The URL of the endpoint tells key and payload; nothing is ever sent to it. */
export async function endpointIntent(key: string, { endpointAccount }: IntentParts): Promise<Intent> {
  const apiKey = await endpointAccount();
  const request = (payload: Payload): CreateRequest => {
    const body = { url: `http://127.0.0.1:9/${key}/${payload}`, event_types: ['webhook.ping'] };
    return { ...jsonRequest('/v1/webhook-endpoints', { key, payload, jobs: 0 }, body), apiKey };
  };
  return { key, jobs: 0, request };
}

interface About {
  readonly key: string;
  readonly payload: Payload;
  readonly jobs: number;
}

function jobBody(input: object, payload: Payload): object {
  return { operation: 'merge', inputs: [input], options: {}, metadata: { payload } };
}

function jsonRequest(path: string, { key, ...about }: About, body: object): CreateRequest {
  const headers = { 'content-type': 'application/json', 'idempotency-key': key };
  const send = (api: ApiClient, signal: AbortSignal): Promise<ApiAnswer> =>
    api.send('POST', path, { headers, body: JSON.stringify(body), signal });
  return { path, key, about, send };
}

function formRequest(path: string, { key, ...about }: About, form: () => FormData): CreateRequest {
  const headers = { 'idempotency-key': key };
  const send = (api: ApiClient, signal: AbortSignal): Promise<ApiAnswer> =>
    api.send('POST', path, { headers, body: form(), signal });
  return { path, key, about, send };
}

function blobOf(bytes: Uint8Array): Blob {
  return new Blob([new Uint8Array(bytes)], { type: 'application/pdf' });
}
