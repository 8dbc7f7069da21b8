import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Columns of text that an index has. */
const columns = {
  accounts: ['name'],
  deleted_objects: ['name'],
  idempotency_keys: ['route', 'key'],
  installation: ['name'],
  jobs: ['idempotency_key', 'client_item_id'],
  objects: ['name'],
  rate_limits: ['key'],
};

/**
 * What decides whether something is there already is compared byte by byte. A database may have been made with the rules of a language, and those
 * change with the C library or ICU of its host: an index that was written under other rules no longer finds what is in it, and lets a key be
 * taken twice. The tables are not written anew, their indexes are.
 */
export class CompareNamesByBytes1764460800011 implements MigrationInterface {
  readonly name = 'CompareNamesByBytes1764460800011';

  async up(runner: QueryRunner): Promise<void> {
    await collate(runner, 'C');
  }

  async down(runner: QueryRunner): Promise<void> {
    await collate(runner, 'default');
  }
}

async function collate(runner: QueryRunner, collation: string): Promise<void> {
  for (const [table, names] of Object.entries(columns)) {
    const changes = names.map((name) => `ALTER COLUMN ${name} TYPE text COLLATE "${collation}"`);
    await runner.query(`ALTER TABLE ${table} ${changes.join(', ')};`);
  }
}
