/** A document could not be fetched from its URL: the cause is of the network, the answer or the address, never of this service. */
export class FetchFailed extends Error {
  override readonly name = 'FetchFailed';

  constructor(
    override readonly cause: Error,
    /** How many redirects were followed before. */
    readonly redirects = 0,
  ) {
    super(cause.message, { cause });
  }
}

/** The server gave an answer, but not the document. */
export class AnswerUnfit extends Error {
  override readonly name = 'AnswerUnfit';

  constructor(
    /** What it did, as a part of a sentence whose subject is the server. */
    readonly did: string,
    /** Whether another answer is likely later. */
    readonly mayPass = false,
  ) {
    super(did);
  }
}

/** The documents of all URLs of a job are larger than they may be together. */
export class TooLargeTogether extends Error {
  override readonly name = 'TooLargeTogether';

  constructor(readonly maxBytes: number) {
    super(`the inputs by url have more than ${maxBytes} bytes together`);
  }
}
