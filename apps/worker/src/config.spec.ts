import { SettingsError } from '#libs/contract';
import { readWorkerConfig } from './config.js';

const needed = {
  DATABASE_URL: 'postgres://localhost/pdfonce',
  STORAGE_URL: 'file:///var/lib/pdfonce',
  SECRET_KEY: `k1:${Buffer.alloc(32).toString('base64')}`,
};

function problemsOf(env: Readonly<Record<string, string>>): readonly string[] {
  try {
    readWorkerConfig({ ...needed, ...env });
    return [];
  } catch (error) {
    if (error instanceof SettingsError) return error.problems;
    throw error;
  }
}

describe('the settings of a worker', () => {
  it('need no more than a database, a storage and a key', () => {
    expect(readWorkerConfig(needed)).toMatchObject({ PORT: 0, JOB_LEASE: 20_000, WORKER_CONCURRENCY: 2 });
  });

  it.each([
    ['a lease that ends between renewals', { JOB_LEASE: '1s' }, 'JOB_LEASE'],
    ['no time to hand work back', { SHUTDOWN_GRACE: '500ms' }, 'SHUTDOWN_GRACE'],
    ['jobs that go before their keys', { JOB_TTL: '8d', ARTIFACT_TTL: '1d', IDEMPOTENCY_TTL: '9d' }, 'JOB_TTL'],
    ['jobs that go before their outputs', { JOB_TTL: '6d' }, 'JOB_TTL'],
    ['events that go before the keys of their jobs', { EVENT_TTL: '1h' }, 'EVENT_TTL'],
    ['a key that is none', { SECRET_KEY: 'secret' }, 'SECRET_KEY'],
  ])('refuse %s with one sentence (contract 2.16)', (_, env, name) => {
    const problems = problemsOf(env);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatch(new RegExp(`^${name} `));
  });
});
