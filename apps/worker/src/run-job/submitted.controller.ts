import { jobSubmitted, uuidOf } from '#libs/domain';
import { type InboundMessage, type TopicBatches, topics } from '#libs/messaging';
import { Controller, Inject } from '@nestjs/common';
import { EventPattern, Payload } from '@nestjs/microservices';
import { metrics } from '../metrics.js';
import { ClaimJobs } from './claim-jobs.js';

/**
 * Takes the commands of the jobs topic. They only say where to look: a job that is unknown, taken or ended is not claimed, and what finds
 * no free slot is claimed in its turn.
 */
@Controller()
export class SubmittedController {
  constructor(@Inject(ClaimJobs) private readonly claimJobs: ClaimJobs) {}

  @EventPattern<TopicBatches>(topics.jobs)
  async take(@Payload() messages: readonly InboundMessage[]): Promise<void> {
    metrics.commands.inc(messages.length);
    const commands = messages.filter((message) => message.type === jobSubmitted);
    await this.claimJobs.tryClaim(commands.flatMap((message) => uuidOf('job', message.key) ?? []));
  }
}
