/** A page of a list. */
export interface Page<T> {
  readonly object: 'list';
  readonly data: readonly T[];
  /** `cursor` of the next page; of events their `after`. */
  readonly next_cursor: string | null;
}

/** From where to list, and how many at once. */
export interface PageQuery {
  /** Entries of a page, 1 to 100. */
  readonly limit?: number | undefined;
  /** `next_cursor` of the page before. */
  readonly cursor?: string | undefined;
}
