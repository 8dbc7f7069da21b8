/** The machine's monotonic clock in milliseconds; every process of the machine reads the same one. */
export function monotonicMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
