/**
 * What became of an event: `handled` now; `seen_before`, so nothing was done; `busy`, which says that another request for it is still being
 * handled, so this one is to come again.
 */
export type InboxOutcome = 'handled' | 'seen_before' | 'busy';

/** Remembers the events that had their effect, so that each has it once. */
export interface Inbox<Transaction> {
  /**
   * Runs the effect unless that of an event with this id has happened, and writes the id in the same transaction. Of two calls at once one runs
   * the effect, and the other waits for its end.
   *
   * @throws what the effect throws; nothing of it is kept then, and the next call with this id runs it again
   */
  handleOnce(eventId: string, effect: (transaction: Transaction) => Promise<void>): Promise<InboxOutcome>;
}
