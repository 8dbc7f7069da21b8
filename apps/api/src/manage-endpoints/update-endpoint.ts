import { type EndpointPatch, endpointPatchSchema, endpointRequestSchema, validate } from '#libs/contract';
import { typeId } from '#libs/domain';
import type { Database, Endpoint, EndpointSettings } from '#libs/persistence';
import { found } from '../http/found.js';
import { checkAddress, type EndpointParts } from './endpoint-parts.js';
import { mergeMembers } from './merge-members.js';
import { openedHeaders, sealedHeaders } from './sealed-headers.js';

const limitedTogether = endpointRequestSchema.pick({ headers: true, metadata: true });

/** Changes what an account says of its endpoint. The next attempt goes by it, whichever dispatcher makes it. */
export class UpdateEndpoint {
  constructor(
    private readonly database: Database,
    private readonly parts: EndpointParts,
  ) {}

  /** @throws RequestRefused */
  async update(accountId: string, endpointId: string, json: unknown): Promise<Endpoint> {
    const { endpoints } = this.parts;
    const patch = validate(endpointPatchSchema, json, 'body');
    if (patch.url !== undefined) await checkAddress(this.parts, patch.url);
    return this.database.transaction(async (tx) => {
      const endpoint = found(await endpoints.lock(tx, accountId, endpointId), typeId('ep', endpointId));
      const settings = this.patched(endpoint, patch);
      await endpoints.update(tx, endpointId, settings);
      return { ...endpoint, ...settings };
    });
  }

  private patched(endpoint: Endpoint, patch: EndpointPatch): EndpointSettings {
    const { keyring } = this.parts;
    const current = openedHeaders(patch.headers === undefined ? null : endpoint.sealedHeaders, keyring);
    const headers = mergeMembers(current, patch.headers, (name) => name.toLowerCase());
    const metadata = mergeMembers(endpoint.metadata, patch.metadata);
    validate(limitedTogether, { headers, metadata }, 'body');
    return {
      url: patch.url ?? endpoint.url,
      eventTypes: patch.event_types === null ? ['*'] : (patch.event_types ?? endpoint.eventTypes),
      description: patch.description === undefined ? endpoint.description : patch.description,
      sealedHeaders: patch.headers === undefined ? endpoint.sealedHeaders : sealedHeaders(headers, keyring),
      metadata,
      retrySchedule: patch.retry_schedule === undefined ? endpoint.retrySchedule : patch.retry_schedule,
    };
  }
}
