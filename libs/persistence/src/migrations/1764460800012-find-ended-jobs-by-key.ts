import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * A job that has not ended is found by the record of its key, which is kept at least until then. So its own entry by key, in a random place of the
 * index, is made once and when it ends: not at its admission, and not again at its claim.
 */
export class FindEndedJobsByKey1764460800012 implements MigrationInterface {
  readonly name = 'FindEndedJobsByKey1764460800012';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
DROP INDEX jobs_by_idempotency_key;
CREATE INDEX jobs_ended_by_idempotency_key ON jobs (account_id, idempotency_key)
  WHERE idempotency_key IS NOT NULL AND finished_at IS NOT NULL;
`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
DROP INDEX jobs_ended_by_idempotency_key;
CREATE INDEX jobs_by_idempotency_key ON jobs (account_id, idempotency_key) WHERE idempotency_key IS NOT NULL;
`);
  }
}
