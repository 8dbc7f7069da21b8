import type { MigrationInterface, QueryRunner } from 'typeorm';

/** No request could say when its job is to start, and no statement ever named the column. */
export class DropRunAt1764460800013 implements MigrationInterface {
  readonly name = 'DropRunAt1764460800013';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE jobs DROP COLUMN run_at;');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE jobs ADD COLUMN run_at timestamptz(3);');
  }
}
