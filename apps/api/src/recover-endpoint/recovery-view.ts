import { typeId } from '#libs/domain';
import type { Recovery } from '#libs/persistence';

/** The public JSON of a recovery. */
export function recoveryView(recovery: Recovery) {
  return {
    id: typeId('rec', recovery.id),
    object: 'recovery' as const,
    endpoint_id: typeId('ep', recovery.endpointId),
    since: recovery.since.toISOString(),
    until: recovery.until?.toISOString() ?? null,
    states: recovery.states,
    state: recovery.state,
    progress: {
      events: recovery.events,
      rearmed: recovery.rearmed,
      inserted: recovery.inserted,
      reached_at: recovery.reachedAt.toISOString(),
    },
    created_at: recovery.createdAt.toISOString(),
    finished_at: recovery.finishedAt?.toISOString() ?? null,
  };
}
