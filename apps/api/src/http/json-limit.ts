import type { Route } from '#libs/contract';

/** The most megabytes of JSON that a route takes. */
export function jsonLimitMegabytes(route: Route | undefined): number {
  return route?.jsonMegabytes ?? 1;
}
