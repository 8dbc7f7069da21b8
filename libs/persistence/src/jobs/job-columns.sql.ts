const columns = `id operation state attempt idempotency_key progress_done progress_total progress_unit metadata
  batch_id client_item_id created_at started_at finished_at warnings error`.split(/\s+/);

/** What a statement gives of a job that goes by this name in it: the columns of a `JobRow` that are those of the table. */
export function jobColumns(job: string): string {
  return columns.map((column) => `${job}.${column}`).join(', ');
}
