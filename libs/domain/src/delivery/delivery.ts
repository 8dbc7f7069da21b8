/** The states of a delivery. */
export const deliveryStates = ['pending', 'delivering', 'delivered', 'exhausted', 'skipped', 'cancelled'] as const;

/** One of {@link deliveryStates}. */
export type DeliveryState = (typeof deliveryStates)[number];

/**
 * How an attempt ended. `unknown` is what an attempt is logged with when it is claimed; it stays when the process dies before it could
 * say more. `unsigned`: no live secret could be opened, so nothing was sent.
 */
export const attemptOutcomes = [
  'unknown',
  'delivered',
  'redirected',
  'client_error',
  'server_error',
  'gone',
  'timeout',
  'dns_error',
  'connection_refused',
  'connection_reset',
  'connection_failed',
  'tls_error',
  'invalid_response',
  'address_refused',
  'lease_lost',
  'unsigned',
] as const;

/** One of {@link attemptOutcomes}. */
export type AttemptOutcome = (typeof attemptOutcomes)[number];

/** The states of a webhook endpoint. */
export const endpointStates = ['healthy', 'failing', 'disabled'] as const;

/** One of {@link endpointStates}. */
export type EndpointState = (typeof endpointStates)[number];
