import { statement } from '../database/statement.js';

/** Sums of the records in [from, to), by UTC day and operation, the oldest day first. */
export const reportUsage = statement(
  'report-usage',
  `
SELECT to_char(completed_at AT TIME ZONE 'UTC', 'YYYY-MM-DD') AS date, operation,
       count(*) AS jobs, sum(pages) AS pages, sum(input_bytes)::bigint AS input_bytes, sum(output_bytes)::bigint AS output_bytes
FROM usage_records
WHERE account_id = $1 AND completed_at >= $2 AND completed_at < $3
GROUP BY date, usage_records.operation
ORDER BY date, usage_records.operation COLLATE "C"`,
);
