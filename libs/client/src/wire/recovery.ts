/** Which events a recovery sends again: those whose delivery ended so, and those that have none. */
export type RecoverableState = 'exhausted' | 'skipped' | 'missing';

/** What to recover. Instants are RFC 3339. */
export interface RecoveryRequest {
  /** Events that happened then or later ... */
  readonly since: string;
  /** ... and before this. */
  readonly until?: string | null | undefined;
  /** All three when left out. */
  readonly states?: readonly RecoverableState[] | undefined;
}

/** The sending of what an endpoint missed. */
export interface Recovery {
  readonly id: string;
  readonly object: 'recovery';
  readonly endpoint_id: string;
  readonly since: string;
  readonly until: string | null;
  readonly states: readonly RecoverableState[];
  readonly state: 'running' | 'completed' | 'cancelled';
  readonly progress: {
    /** Events it has looked at. */
    readonly events: number;
    /** Deliveries it has made due again. */
    readonly rearmed: number;
    /** Deliveries it has made. */
    readonly inserted: number;
    /** It has looked at every event before this. */
    readonly reached_at: string;
  };
  readonly created_at: string;
  readonly finished_at: string | null;
}
