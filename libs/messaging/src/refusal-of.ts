const refusals = ['MESSAGE_TOO_LARGE', 'RECORD_LIST_TOO_LARGE', 'INVALID_RECORD'];

/** The protocol error by which Kafka refused records for good, or undefined when the error says nothing about the records. */
export function refusalOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  if ('type' in error && typeof error.type === 'string' && refusals.includes(error.type)) return error.type;
  return refusalOf(error.cause);
}
