import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The end of a job finds its idempotency key by the name that the job carries, so a key costs an admission one index less; nor does its row look the
 * account up, which the job beside it does.
 */
export class FindKeysByName1764460800009 implements MigrationInterface {
  readonly name = 'FindKeysByName1764460800009';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
DROP INDEX idempotency_keys_by_job;
ALTER TABLE idempotency_keys
  DROP CONSTRAINT idempotency_keys_account_exists,
  DROP CONSTRAINT idempotency_keys_pkey,
  ADD CONSTRAINT idempotency_keys_pkey PRIMARY KEY (account_id, key, route);
`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
ALTER TABLE idempotency_keys
  DROP CONSTRAINT idempotency_keys_pkey,
  ADD CONSTRAINT idempotency_keys_pkey PRIMARY KEY (account_id, route, key),
  ADD CONSTRAINT idempotency_keys_account_exists FOREIGN KEY (account_id) REFERENCES accounts;
CREATE INDEX idempotency_keys_by_job ON idempotency_keys (job_id) WHERE job_id IS NOT NULL;
`);
  }
}
