import { type CallLimits, type CallOptions, limitsOf } from '../client-options.js';
import { type Download, openDownload } from '../download/open-download.js';
import type { Clock } from '../request/clock.js';
import { pathOf } from '../request/path.js';
import type { Requests } from '../request/requests.js';
import type { JobOutput } from '../wire/job.js';

/** The documents that jobs made. */
export class Outputs {
  constructor(
    private readonly requests: Requests,
    private readonly limits: CallLimits,
    private readonly clock: Clock,
  ) {}

  /**
   * Downloads an output. Given as the job shows it, it is checked against that, otherwise against the hash that its answer names.
   * `deadlineMs` is for each connection to be made, not for the whole.
   */
  download(jobId: string, output: number | JobOutput = 0, options: CallOptions = {}): Promise<Download> {
    const known = typeof output === 'number' ? null : { sha256: output.sha256, sizeBytes: output.size };
    const path = pathOf('jobs', jobId, 'outputs', typeof output === 'number' ? output : output.index);
    const { retries } = limitsOf(options, this.limits);
    const get = (headers: Readonly<Record<string, string>>) => this.requests.getBytes(path, headers, options);
    return openDownload({ path, known, retries, signal: options.signal, get }, this.clock);
  }
}
