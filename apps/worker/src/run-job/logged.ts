import { typeId } from '#libs/domain';
import type { Claim } from '#libs/persistence';

/** A claim as log records name it. */
export function logged({ jobId, claim }: Claim): { readonly jobId: string; readonly claim: number } {
  return { jobId: typeId('job', jobId), claim };
}
