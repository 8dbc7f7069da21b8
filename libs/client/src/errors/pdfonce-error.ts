/** Every error of this client. */
export abstract class PdfonceError extends Error {
  /** The key under which the request was sent; keep it to ask again, `null` when there was none. */
  readonly idempotencyKey: string | null;

  constructor(message: string, idempotencyKey: string | null, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
    this.idempotencyKey = idempotencyKey;
  }
}
