/**
 * SQL for whether one of an endpoint's patterns (`job.completed`, `job.*`, `*`) selects a type, as `selects` of the domain says.
 *
 * @param patterns an expression of a text array
 * @param type an expression of a text
 */
export function selectsType(patterns: string, type: string): string {
  return `EXISTS (
      SELECT FROM unnest(${patterns}) AS pattern
      WHERE pattern IN ('*', ${type}) OR (right(pattern, 2) = '.*' AND starts_with(${type}, left(pattern, -1)))
    )`;
}
