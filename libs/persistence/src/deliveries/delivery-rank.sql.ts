/**
 * SQL for the rank of a delivery: 0 for first attempts, 1 for retries, 2 for recovered ones. As the index `deliveries_due_by_endpoint` has it.
 *
 * @param delivery the alias of the row
 */
export function rankOf(delivery: string): string {
  return `(CASE WHEN ${delivery}.is_recovered THEN 2 WHEN ${delivery}.attempt > 0 THEN 1 ELSE 0 END)`;
}
