import { routes, validate } from '#libs/contract';
import { DeliveryReader } from '#libs/persistence';
import { Controller, Param, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { found } from '../http/found.js';
import { Handles } from '../http/handles.js';
import { listView } from '../http/list-view.js';
import { pathId } from '../http/path-id.js';
import { queryId } from '../http/query-id.js';
import { callerOf } from '../http/request-context.js';
import { deliveryView } from './delivery-view.js';

/** Reads deliveries. */
@Controller()
export class ReadDeliveriesController {
  constructor(private readonly deliveries: DeliveryReader) {}

  @Handles(routes.readDelivery)
  async read(@Param('delivery_id') id: string, @Req() request: FastifyRequest) {
    return deliveryView(found(await this.deliveries.find(callerOf(request).accountId, pathId('dlv', id)), id));
  }

  @Handles(routes.listDeliveries)
  async list(@Req() request: FastifyRequest) {
    const query = validate(routes.listDeliveries.query, request.query, 'query');
    const deliveries = await this.deliveries.list(callerOf(request).accountId, {
      eventId: queryId('evt', 'event_id', query.event_id),
      endpointId: queryId('ep', 'endpoint_id', query.endpoint_id),
      state: query.state,
      before: queryId('dlv', 'cursor', query.cursor),
      limit: query.limit + 1,
    });
    return listView(deliveries, { limit: query.limit, prefix: 'dlv' }, deliveryView);
  }
}
