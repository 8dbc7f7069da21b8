import { PdfonceError } from './pdfonce-error.js';

/** A request and how often it was sent. */
export interface RequestFacts {
  readonly method: string;
  readonly path: string;
  readonly idempotencyKey: string | null;
  readonly attempts: number;
}

/** A request that did not bring what it was sent for. */
export abstract class RequestError extends PdfonceError {
  readonly method: string;
  readonly path: string;
  /** How often it was sent. */
  readonly attempts: number;

  constructor(facts: RequestFacts, what: string, options?: ErrorOptions) {
    super(`${facts.method} ${facts.path}: ${what} (${describeAttempts(facts)})`, facts.idempotencyKey, options);
    this.method = facts.method;
    this.path = facts.path;
    this.attempts = facts.attempts;
  }
}

function describeAttempts({ idempotencyKey, attempts }: RequestFacts): string {
  const times = attempts === 1 ? '1 attempt' : `${attempts} attempts`;
  return idempotencyKey === null ? times : `idempotency key ${idempotencyKey}, ${times}`;
}
