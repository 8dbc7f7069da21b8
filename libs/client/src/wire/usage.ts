interface UsageSums {
  readonly jobs: number;
  readonly pages: number;
  readonly input_bytes: number;
  readonly output_bytes: number;
}

/** What was charged, by operation and day (UTC). */
export interface Usage {
  readonly object: 'usage';
  readonly from: string;
  readonly to: string;
  readonly data: readonly ({ readonly date: string; readonly operation: string } & UsageSums)[];
  readonly total: UsageSums;
}
