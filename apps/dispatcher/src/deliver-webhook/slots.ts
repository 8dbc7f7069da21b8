import { type DeliveryLane, deliveryLanes } from '#libs/persistence';

/** What of all slots a lane may have together with those after it. The rest is kept for the lanes before it. */
const shareOf: Readonly<Record<DeliveryLane, number>> = { quick: 1, first: 0.75, later: 0.5, recovered: 0.2 };

/** How many deliveries can be begun, and how many of these at most of a lane and those after it. */
export interface FreeSlots {
  readonly limit: number;
  readonly shares: Readonly<Record<Exclude<DeliveryLane, 'quick'>, number>>;
}

/** The slots of a dispatcher, shared so that the less prompt never take those of the prompt. */
export class Slots {
  readonly #open: Record<DeliveryLane, number> = { quick: 0, first: 0, later: 0, recovered: 0 };

  constructor(private readonly total: number) {}

  take(lane: DeliveryLane): void {
    this.#open[lane] += 1;
  }

  giveBack(lane: DeliveryLane): void {
    this.#open[lane] -= 1;
  }

  free(): FreeSlots {
    const limit = this.#freeOf('quick');
    const first = Math.min(limit, this.#freeOf('first'));
    const later = Math.min(first, this.#freeOf('later'));
    const recovered = Math.min(later, this.#freeOf('recovered'));
    return { limit, shares: { first, later, recovered } };
  }

  /** Every lane has a slot at least. */
  #freeOf(lane: DeliveryLane): number {
    const share = Math.max(1, Math.floor(this.total * shareOf[lane]));
    const open = deliveryLanes.slice(deliveryLanes.indexOf(lane)).reduce((sum, each) => sum + this.#open[each], 0);
    return Math.max(0, share - open);
  }
}
