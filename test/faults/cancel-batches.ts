import { setTimeout as pause } from 'node:timers/promises';
import type { ApiAnswer, ApiClient } from '../support/api-client.js';
import type { CreateRequest, RetryingClient } from './client.js';
import type { SeededRandom } from './random.js';

const leastPauseMs = 500;
const mostPauseMs = 2_000;
const mostItems = 4;

/** Makes events until it is told to end: accepts batches and cancels them, which ends every job and the batch. Rejects when a request is refused. */
export async function cancelBatches(
  over: AbortSignal,
  {
    client,
    fileId,
    random,
  }: { readonly client: RetryingClient; readonly fileId: string; readonly random: SeededRandom },
): Promise<void> {
  for (let number = 1; !over.aborted; number += 1) {
    await pause(random.integer(leastPauseMs, mostPauseMs));
    const key = `batch-${number}`;
    const items = Array.from({ length: random.integer(1, mostItems) }, (_, index) => itemOf(index, fileId));
    const batch = await accepted(client, postRequest('/v1/batches', key, { items }, items.length));
    await accepted(client, postRequest(`/v1/batches/${batch.json<{ id: string }>().id}/cancel`, `cancel-${number}`));
  }
}

function itemOf(index: number, fileId: string): object {
  return { client_item_id: `item-${index}`, operation: 'merge', inputs: [{ file_id: fileId }], options: {} };
}

async function accepted(client: RetryingClient, request: CreateRequest): Promise<ApiAnswer> {
  const answer = await client.decide(request);
  if (answer.status < 300) return answer;
  throw new Error(`${request.key} was refused: ${answer.status} ${answer.body.toString('utf8').slice(0, 300)}`);
}

function postRequest(path: string, key: string, body?: object, jobs = 0): CreateRequest {
  const headers = { 'content-type': 'application/json', 'idempotency-key': key };
  const content = body === undefined ? {} : { body: JSON.stringify(body) };
  const send = (api: ApiClient, signal: AbortSignal): Promise<ApiAnswer> =>
    api.send('POST', path, { headers: body === undefined ? { 'idempotency-key': key } : headers, ...content, signal });
  return { path, key, about: { jobs }, send };
}
