/** Why a request is not taken for a webhook of the service. */
export type VerificationReason =
  | 'missing_header'
  | 'malformed_timestamp'
  | 'malformed_signature'
  | 'no_matching_signature'
  | 'timestamp_too_old'
  | 'timestamp_too_new'
  | 'body_not_json'
  | 'body_not_event'
  | 'body_id_differs';

/** A request that cannot be trusted or not be read. Its message holds neither secret nor body. */
export class VerificationError extends Error {
  override readonly name = 'VerificationError';

  constructor(
    readonly reason: VerificationReason,
    message: string,
  ) {
    super(message);
  }

  /** The HTTP status to answer with: 401 where the signature is not right, 400 otherwise. */
  get status(): 400 | 401 {
    return this.reason === 'no_matching_signature' ? 401 : 400;
  }
}
