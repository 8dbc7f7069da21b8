import type { ApiClient } from '../support/api-client.js';
import { eventually } from '../support/eventually.js';
import { samplePdf } from '../support/pdf-samples.js';
import { type ReceivedRequest, WebhookReceiver } from '../support/webhook-receiver.js';
import { Sample } from './sample.js';

/** How long a lone job waits, in milliseconds. All clocks are that of one machine; what is less than nothing by rounding counts as 0. */
export interface Latency {
  /** From the answer at the client to `started_at`. */
  readonly acceptToStart: Sample;
  /** From `finished_at` to the arrival of the whole webhook request. */
  readonly settleToReceived: Sample;
}

interface JobTimes {
  readonly id: string;
  readonly started_at: string;
  readonly finished_at: string;
}

const warmUpJobs = 10;
const longestJobMs = 20_000;

/** Runs small jobs one after another, each when the one before has been told by webhook. */
export async function measureLatency(api: ApiClient, jobs: number): Promise<Latency> {
  const receiver = await WebhookReceiver.open();
  try {
    const endpoint = await api.createEndpoint({ url: receiver.url });
    if (endpoint.status !== 201) throw new Error(`the endpoint was answered with ${endpoint.status}`);
    const upload = await api.uploadFile({ name: 'a.pdf', bytes: await samplePdf([100]) });
    const fileId = upload.json<{ id: string }>().id;
    for (let job = 0; job < warmUpJobs; job += 1) await runOne(api, receiver, fileId);
    const starts: number[] = [];
    const arrivals: number[] = [];
    for (let job = 0; job < jobs; job += 1) {
      const { startMs, arrivalMs } = await runOne(api, receiver, fileId);
      starts.push(startMs);
      arrivals.push(arrivalMs);
    }
    return { acceptToStart: new Sample(starts), settleToReceived: new Sample(arrivals) };
  } finally {
    await receiver.close();
  }
}

async function runOne(
  api: ApiClient,
  receiver: WebhookReceiver,
  fileId: string,
): Promise<{ readonly startMs: number; readonly arrivalMs: number }> {
  const answer = await api.submit({ operation: 'merge', inputs: [{ file_id: fileId }] });
  const acceptedAt = performance.timeOrigin + performance.now();
  if (answer.status !== 202) throw new Error(`the API answered ${answer.status}`);
  const jobId = answer.json<{ id: string }>().id;
  const request = await eventually(() => receiver.received((each) => timesOf(each).id === jobId)[0], {
    withinMs: longestJobMs,
    everyMs: 2,
    describe: `the webhook of ${jobId}`,
  });
  const times = timesOf(request as ReceivedRequest);
  const receivedAt = performance.timeOrigin + (request as ReceivedRequest).receivedAtMs;
  return {
    startMs: Math.max(0, Date.parse(times.started_at) - acceptedAt),
    arrivalMs: Math.max(0, receivedAt - Date.parse(times.finished_at)),
  };
}

function timesOf({ body }: ReceivedRequest): JobTimes {
  return (JSON.parse(body.toString('utf8')) as { data: JobTimes }).data;
}
