import { type Refusal, refusedByJob, RequestRefused } from '#libs/contract';
import { type Job, jobView, type OutputLinks, uuidOf } from '#libs/domain';
import type { ApiKeyStore, JobReader } from '#libs/persistence';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { SendOutput } from '../download-output/send-output.js';
import { jsonAnswer } from '../http/json-answer.js';
import { callerOf } from '../http/request-context.js';
import { type DecidedAnswer, sendAnswer } from '../http/send-answer.js';
import { sendProblem } from '../http/send-problem.js';
import { prefersDocument } from './accept.js';
import type { AwaitJobs } from './await-jobs.js';

/** Holds the answer of a submission until its job has ended: then 200 with the job as it is, or its document where that was asked for. */
export class AnswerWhenEnded {
  constructor(
    private readonly awaitJobs: AwaitJobs,
    private readonly jobs: JobReader,
    private readonly keys: ApiKeyStore,
    private readonly links: OutputLinks,
    private readonly sendOutput: SendOutput,
  ) {}

  /** @throws RequestRefused */
  async send(request: FastifyRequest, reply: FastifyReply, decided: DecidedAnswer, waitSeconds: number): Promise<void> {
    const jobId = jobOf(decided);
    const hasEnded = await this.awaitJobs.ended(jobId, waitSeconds * 1_000, whenLeft(reply));
    await this.checkKey(request);
    const job = hasEnded ? await this.jobs.find(callerOf(request).accountId, jobId) : null;
    if (job === null) return void sendAnswer(reply, decided);
    if (decided.isReplayed) reply.header('idempotent-replayed', 'true');
    const { location } = decided.answer;
    reply.header('preference-applied', `wait=${waitSeconds}`).header('location', location ?? '');
    if (wantsDocument(request, job)) return this.sendDocument(request, reply, job);
    const answer = jsonAnswer(200, location, jobView(job, this.links));
    sendAnswer(reply, { answer, isReplayed: decided.isReplayed });
  }

  private async checkKey(request: FastifyRequest): Promise<void> {
    if (await this.keys.isLive(callerOf(request).keyId)) return;
    throw new RequestRefused('unauthenticated', 'the API key was revoked', {
      headers: { 'www-authenticate': 'Bearer' },
    });
  }

  private async sendDocument(request: FastifyRequest, reply: FastifyReply, job: Job): Promise<void> {
    if (job.state !== 'completed') return sendProblem(reply, refusalOf(job), request.id);
    const output = await this.jobs.findOutput(job.id, 0);
    if (output === null) throw new Error(`the completed job ${job.id} has no output`);
    await this.sendOutput.send(request, reply, output);
  }
}

function jobOf(decided: DecidedAnswer): string {
  const jobId = uuidOf('job', decided.answer.location?.split('/').at(-1) ?? '');
  if (jobId === null) throw new Error('the answer of a submission names no job');
  return jobId;
}

/** The bytes themselves answer a request that prefers their type to JSON, when there is exactly one document. */
function wantsDocument(request: FastifyRequest, job: Job): boolean {
  const type = job.outputs[0]?.mediaType ?? 'application/pdf';
  return job.outputs.length <= 1 && prefersDocument(request.headers.accept, type);
}

function refusalOf({ error }: Job): Refusal {
  return error === null
    ? refusedByJob('job_cancelled', 'the job was cancelled before it completed')
    : refusedByJob(error.code, error.message);
}

function whenLeft(reply: FastifyReply): AbortSignal {
  const left = new AbortController();
  reply.raw.once('close', () => left.abort());
  return left.signal;
}
