import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What goes with an input: the pages to take of it, and what opens it, sealed with `SECRET_KEY` and forgotten when its job ends. */
export class AddInputPasswords1764460800010 implements MigrationInterface {
  readonly name = 'AddInputPasswords1764460800010';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE job_inputs ADD COLUMN pages text, ADD COLUMN sealed_password text;');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE job_inputs DROP COLUMN pages, DROP COLUMN sealed_password;');
  }
}
