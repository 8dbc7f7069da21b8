/** Measured values, as they came. */
export class Sample {
  constructor(private readonly values: readonly number[]) {}

  /** The value that this share of all values does not exceed. */
  quantile(share: number): number {
    const sorted = [...this.values].sort((left, right) => left - right);
    return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? NaN;
  }

  get median(): number {
    return this.quantile(0.5);
  }

  get size(): number {
    return this.values.length;
  }
}
