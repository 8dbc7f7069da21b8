import { RequestRefused } from '#libs/contract';
import { typeId } from '#libs/domain';

/** The refusal of what a disabled endpoint (a UUID) cannot be sent. */
export function endpointDisabled(endpointId: string): RequestRefused {
  const detail = `the webhook endpoint ${typeId('ep', endpointId)} is disabled: enable it first`;
  return new RequestRefused('endpoint_disabled', detail);
}
