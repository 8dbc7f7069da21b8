import { refusedAt, routes, validate } from '#libs/contract';
import { typeId, uuidOf } from '#libs/domain';
import { type EventCursor, EventReader, type StoredEvent } from '#libs/persistence';
import { Controller, Param, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { found } from '../http/found.js';
import { Handles } from '../http/handles.js';
import { listView } from '../http/list-view.js';
import { pathId } from '../http/path-id.js';
import { queryId } from '../http/query-id.js';
import { callerOf } from '../http/request-context.js';

/** How many events a page of undelivered ones looks at. */
const mostLookedAt = 10_000;

/** Reads events; in ascending order the list is safe to poll. */
@Controller()
export class ReadEventsController {
  constructor(private readonly events: EventReader) {}

  @Handles(routes.readEvent)
  async read(@Param('event_id') id: string, @Req() request: FastifyRequest) {
    return eventView(found(await this.events.find(callerOf(request).accountId, pathId('evt', id)), id));
  }

  @Handles(routes.listEvents)
  async list(@Req() request: FastifyRequest) {
    const query = validate(routes.listEvents.query, request.query, 'query');
    const { limit, order, after } = query;
    const { accountId } = callerOf(request);
    if (query.undelivered === 'true') return this.undelivered(accountId, query);
    if (order === 'desc') {
      const events = await this.events.list(accountId, {
        order,
        before: queryId('evt', 'after', after),
        limit: limit + 1,
      });
      return listView(events, { limit, prefix: 'evt' }, eventView);
    }
    const events = await this.events.list(accountId, { order, after: cursorOf(after), limit });
    const last = events.at(-1);
    return {
      object: 'list' as const,
      data: events.map(eventView),
      next_cursor: last === undefined ? (after ?? null) : cursorText(last),
    };
  }

  private async undelivered(
    accountId: string,
    query: { readonly limit: number; readonly after?: string | undefined; readonly endpoint_id?: string | undefined },
  ) {
    const { events, moreBefore } = await this.events.listUndelivered(accountId, {
      endpointId: queryId('ep', 'endpoint_id', query.endpoint_id),
      before: queryId('evt', 'after', query.after),
      limit: query.limit,
      looksAt: mostLookedAt,
    });
    const next_cursor = moreBefore === null ? null : typeId('evt', moreBefore);
    return { object: 'list' as const, data: events.map(eventView), next_cursor };
  }
}

function eventView(event: StoredEvent) {
  const { id, type, timestamp, data } = JSON.parse(event.body) as Readonly<Record<string, unknown>>;
  return { id, object: 'event' as const, type, timestamp, data };
}

/** A place in the order of commits. A poll that finds nothing new keeps its place. */
function cursorText(event: EventCursor): string {
  return `${event.transactionId}.${typeId('evt', event.id)}`;
}

function cursorOf(text: string | undefined): EventCursor | undefined {
  if (text === undefined) return undefined;
  const [, transactionId, eventId = ''] = /^(\d{1,20})\.(.*)$/.exec(text) ?? [];
  const id = uuidOf('evt', eventId);
  if (transactionId !== undefined && id !== null && BigInt(transactionId) < 2n ** 64n) return { transactionId, id };
  throw refusedAt('invalid_request', 'query:after', 'is no cursor of this list in ascending order');
}
