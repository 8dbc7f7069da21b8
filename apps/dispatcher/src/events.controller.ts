import { Controller, Inject } from '@nestjs/common';
import { EventPattern } from '@nestjs/microservices';
import { topics } from '#libs/messaging';
import { Dispatcher } from './deliver-webhook/dispatcher.js';

/** Every event may have deliveries: the topic only wakes, the rows say what is due. */
@Controller()
export class EventsController {
  constructor(@Inject(Dispatcher) private readonly dispatcher: Dispatcher) {}

  @EventPattern<string>(topics.events)
  wake(): void {
    this.dispatcher.wake();
  }
}
