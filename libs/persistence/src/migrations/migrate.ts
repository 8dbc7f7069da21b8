import { DataSource } from 'typeorm';
import { CreateAccounts1764460800000 } from './1764460800000-create-accounts.js';
import { CreateObjects1764460800001 } from './1764460800001-create-objects.js';
import { CreateJobs1764460800002 } from './1764460800002-create-jobs.js';
import { CreateEvents1764460800003 } from './1764460800003-create-events.js';
import { CreateWebhooks1764460800004 } from './1764460800004-create-webhooks.js';
import { CreateBatches1764460800005 } from './1764460800005-create-batches.js';
import { AddEndpointHealth1764460800006 } from './1764460800006-add-endpoint-health.js';
import { CreateRecoveries1764460800007 } from './1764460800007-create-recoveries.js';
import { AddFetchedInputs1764460800008 } from './1764460800008-add-fetched-inputs.js';
import { FindKeysByName1764460800009 } from './1764460800009-find-keys-by-name.js';
import { AddInputPasswords1764460800010 } from './1764460800010-add-input-passwords.js';
import { CompareNamesByBytes1764460800011 } from './1764460800011-compare-names-by-bytes.js';
import { FindEndedJobsByKey1764460800012 } from './1764460800012-find-ended-jobs-by-key.js';
import { DropRunAt1764460800013 } from './1764460800013-drop-run-at.js';

const migrations = [
  CreateAccounts1764460800000,
  CreateObjects1764460800001,
  CreateJobs1764460800002,
  CreateEvents1764460800003,
  CreateWebhooks1764460800004,
  CreateBatches1764460800005,
  AddEndpointHealth1764460800006,
  CreateRecoveries1764460800007,
  AddFetchedInputs1764460800008,
  FindKeysByName1764460800009,
  AddInputPasswords1764460800010,
  CompareNamesByBytes1764460800011,
  FindEndedJobsByKey1764460800012,
  DropRunAt1764460800013,
];

/** The name of the migration that a database needs to have for this version. */
export const newestMigration = new DropRunAt1764460800013().name;

/** Held for the whole run, so that several processes may migrate at once. */
const advisoryLock = 7_366_030_463;

/** Applies every migration that is missing, each in its own transaction, and gives the names of those it applied. */
export async function migrate(url: string): Promise<readonly string[]> {
  return withDataSource(url, async (dataSource) => {
    const applied = await dataSource.runMigrations({ transaction: 'each' });
    return applied.map((migration) => migration.name);
  });
}

/** Takes the newest migration back and gives its name, or `null` when there is none. */
export async function revertMigration(url: string): Promise<string | null> {
  return withDataSource(url, async (dataSource) => {
    const before = await dataSource.query<{ name: string }[]>('SELECT name FROM migrations ORDER BY id DESC LIMIT 1');
    if (before[0] === undefined) return null;
    await dataSource.undoLastMigration({ transaction: 'each' });
    return before[0].name;
  });
}

async function withDataSource<T>(url: string, work: (dataSource: DataSource) => Promise<T>): Promise<T> {
  const dataSource = new DataSource({
    type: 'postgres',
    url,
    migrations,
    migrationsTableName: 'migrations',
    synchronize: false,
  });
  await dataSource.initialize();
  const locked = dataSource.createQueryRunner();
  try {
    await locked.connect();
    await locked.query('SELECT pg_advisory_lock($1)', [advisoryLock]);
    return await work(dataSource);
  } finally {
    await locked.release();
    await dataSource.destroy();
  }
}
