import { jobErrors, type Problem, RequestRefused } from '#libs/contract';
import { type Job, jobView, type OutputLinks, uuidOf } from '#libs/domain';
import type { ApiKeyStore, JobReader } from '#libs/persistence';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { SendOutput } from '../download-output/send-output.js';
import { callerOf } from '../http/request-context.js';
import { type DecidedAnswer, sendAnswer } from '../http/send-answer.js';
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
    const hasEnded = await this.awaitJobs.ended(jobId, waitSeconds * 1_000, whenLeft(request));
    await this.checkKey(request);
    const job = hasEnded ? await this.jobs.find(callerOf(request).accountId, jobId) : null;
    if (job === null) return void sendAnswer(reply, decided);
    if (decided.isReplayed) reply.header('idempotent-replayed', 'true');
    reply.header('preference-applied', `wait=${waitSeconds}`).header('location', decided.answer.location ?? '');
    if (wantsDocument(request, job)) return this.sendDocument(request, reply, job);
    void reply
      .status(200)
      .header('cache-control', 'no-store')
      .header('content-type', 'application/json; charset=utf-8')
      .send(JSON.stringify(jobView(job, this.links)));
  }

  private async checkKey(request: FastifyRequest): Promise<void> {
    if (await this.keys.isLive(callerOf(request).keyId)) return;
    throw new RequestRefused('unauthenticated', 'the API key was revoked', {
      headers: { 'www-authenticate': 'Bearer' },
    });
  }

  private async sendDocument(request: FastifyRequest, reply: FastifyReply, job: Job): Promise<void> {
    if (job.state !== 'completed') {
      void reply
        .status(422)
        .header('cache-control', 'no-store')
        .header('content-type', 'application/problem+json')
        .send(JSON.stringify(jobProblem(job, request.id)));
      return;
    }
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

/** The bytes themselves answer a request that accepts their type and no JSON, when there is exactly one document. */
function wantsDocument(request: FastifyRequest, job: Job): boolean {
  const accepted = (request.headers.accept ?? '')
    .split(',')
    .map((range) => range.split(';')[0]?.trim().toLowerCase() ?? '');
  const type = job.outputs[0]?.mediaType ?? 'application/pdf';
  return accepted.includes(type) && job.outputs.length <= 1;
}

/** The problem document of a job that made nothing. */
function jobProblem(job: Job, requestId: string): Problem {
  const code = job.error?.code ?? 'job_cancelled';
  const titles: Readonly<Record<string, { readonly title: string }>> = jobErrors;
  return {
    type: `/docs/errors/${code}`,
    title: titles[code]?.title ?? 'The job was cancelled',
    status: 422,
    code,
    detail: job.error?.message ?? 'the job was cancelled before it completed',
    request_id: requestId,
  };
}

function whenLeft(request: FastifyRequest): AbortSignal {
  const left = new AbortController();
  request.raw.socket.once('close', () => left.abort());
  return left.signal;
}
