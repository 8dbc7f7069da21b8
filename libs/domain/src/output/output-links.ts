import { typeId } from '../id/type-id.js';
import type { JobOutput } from '../job/job.js';
import type { SecretKeyring } from '../secret/secret-keyring.js';

type LinkedOutput = Pick<JobOutput, 'index' | 'expiresAt' | 'linkKeyId'>;

/** Where one output is found. */
interface OutputAddresses {
  readonly url: string;
  readonly downloadUrl: string;
}

/** What a signed link says of itself; it opens the output only if {@link OutputLinks.verifies} it. */
export interface LinkClaim {
  readonly keyId: string;
  /** Unix time in seconds. */
  readonly expires: number;
  readonly signature: string;
}

/**
 * The addresses of outputs. A signed link is a pure function of the output, its expiry and the key whose id was stored with it, so every
 * reading shows the same string.
 */
export class OutputLinks {
  /** @param publicUrl base URL without a trailing slash */
  constructor(
    readonly publicUrl: string,
    private readonly keyring: SecretKeyring,
  ) {}

  /** The address of a job. */
  jobUrl(jobId: string): string {
    return `${this.publicUrl}/v1/jobs/${typeId('job', jobId)}`;
  }

  /** The address of a batch. */
  batchUrl(batchId: string): string {
    return `${this.publicUrl}/v1/batches/${typeId('batch', batchId)}`;
  }

  /** The addresses of outputs of one job: `url` needs an API key, `downloadUrl` needs none. */
  ofJob(jobId: string): (output: LinkedOutput) => OutputAddresses {
    const jobUrl = this.jobUrl(jobId);
    return (output) => {
      const url = `${jobUrl}/outputs/${output.index}`;
      const expires = seconds(output.expiresAt);
      const signature = this.keyring.sign(output.linkKeyId, signedText(jobId, output.index, expires));
      return { url, downloadUrl: `${url}?expires=${expires}&key=${output.linkKeyId}&signature=${signature}` };
    };
  }

  /** Whether a link was signed here for this output; says nothing of whether it has expired. */
  verifies(jobId: string, index: number, claim: LinkClaim): boolean {
    return this.keyring.verifies(claim.keyId, signedText(jobId, index, claim.expires), claim.signature);
  }
}

function signedText(jobId: string, index: number, expires: number): string {
  return `output\n${jobId}\n${index}\n${expires}`;
}

function seconds(instant: Date): number {
  return Math.floor(instant.getTime() / 1000);
}
