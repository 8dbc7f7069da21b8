/** The batch as its event tells of it, with at most 20 of the items that failed. Instants are RFC 3339 in UTC. */
export interface BatchEventData {
  readonly id: string;
  readonly object: 'batch';
  readonly state: 'completed';
  /** Jobs by state. */
  readonly counts: Readonly<Record<'queued' | 'processing' | 'completed' | 'failed' | 'cancelled', number>>;
  readonly items: number;
  readonly created_at: string;
  readonly finished_at: string | null;
  readonly expires_at: string | null;
  readonly errors: readonly {
    readonly job_id: string;
    readonly client_item_id: string | null;
    readonly code: string;
  }[];
  /** How many items failed, those that are not listed included. */
  readonly errors_total: number;
  /** Where the jobs of the batch are read. */
  readonly jobs_url: string;
}
