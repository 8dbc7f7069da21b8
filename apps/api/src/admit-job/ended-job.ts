import { type Refusal, refusedByJob } from '#libs/contract';
import { type Job, jobView, type OutputLinks } from '#libs/domain';
import type { JobReader } from '#libs/persistence';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { EndedWork, HeldRequest } from '../answer-when-ended/answer-when-ended.js';
import type { SendOutput } from '../download-output/send-output.js';
import { jsonAnswer } from '../http/json-answer.js';
import { prefersDocument } from '../http/prefers-document.js';
import { sendAnswer } from '../http/send-answer.js';
import { sendProblem } from '../http/send-problem.js';

/** Answers with the job as it ended, or with its document where that was asked for. */
export class EndedJob implements EndedWork {
  constructor(
    private readonly jobs: JobReader,
    private readonly links: OutputLinks,
    private readonly sendOutput: SendOutput,
  ) {}

  /** What it finds sends. @throws RequestRefused `output_expired` */
  async find(accountId: string, jobId: string) {
    const job = await this.jobs.find(accountId, jobId);
    return job === null ? null : (held: HeldRequest) => this.send(held, job);
  }

  private async send({ request, reply, decided }: HeldRequest, job: Job): Promise<void> {
    if (wantsDocument(request, job)) return this.sendDocument(request, reply, job);
    const answer = jsonAnswer(200, decided.answer.location, jobView(job, this.links));
    sendAnswer(reply, { ...decided, answer });
  }

  /** Whole: conditions and ranges are those of a GET (RFC 9110, sections 13.2.1 and 14.2). */
  private async sendDocument(request: FastifyRequest, reply: FastifyReply, job: Job): Promise<void> {
    if (job.state !== 'completed') return sendProblem(reply, refusalOf(job), request.id);
    const output = await this.jobs.findOutput(job.id, 0);
    if (output === null) throw new Error(`the completed job ${job.id} has no output`);
    await this.sendOutput.send({ headers: {} }, reply, output);
  }
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
