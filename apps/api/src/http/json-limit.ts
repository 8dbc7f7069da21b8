import { type Route, routes } from '#libs/contract';

const usualMegabytes = 1;

/** A batch carries the requests of many jobs. */
const batchMegabytes = 10;

/** The most megabytes of JSON that a route takes. */
export function jsonLimitMegabytes(route: Route | undefined): number {
  return route?.path === routes.createBatch.path ? batchMegabytes : usualMegabytes;
}
