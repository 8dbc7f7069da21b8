/** Measured values, as they came. */
export class Sample {
  constructor(readonly values: readonly number[]) {}

  /** The value that this share of all values does not exceed; NaN of none. */
  quantile(share: number): number {
    const sorted = this.sorted();
    return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? NaN;
  }

  /** The value in the middle, between the two in the middle of an even number; NaN of none. */
  get median(): number {
    const sorted = this.sorted();
    const [below, above] = [sorted[Math.ceil(sorted.length / 2) - 1], sorted[Math.floor(sorted.length / 2)]];
    return below === undefined || above === undefined ? NaN : (below + above) / 2;
  }

  get size(): number {
    return this.values.length;
  }

  private sorted(): number[] {
    return [...this.values].sort((left, right) => left - right);
  }
}
