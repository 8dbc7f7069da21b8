import type { Refusal } from '#libs/domain';

/** The target of a request must not be reached. */
export class AddressRefused extends Error {
  override readonly name = 'AddressRefused';
  readonly code = 'ADDRESS_REFUSED';

  constructor(readonly refusal: Refusal) {
    super(`refused by ${[refusal.reason, refusal.addressClass].filter(Boolean).join(': ')}`);
  }
}
