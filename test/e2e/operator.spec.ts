import { migrate, revertMigration } from '#libs/persistence';
import type { JobView } from '#libs/domain';
import type { ApiClient } from '../support/api-client.js';
import { eventually } from '../support/eventually.js';
import { samplePdf } from '../support/pdf-samples.js';
import { Service, startTimeoutMs } from './service.js';

describe('who runs the API', () => {
  const rule = (title: string, check: () => Promise<void>) => it(title, check, 30_000);
  let service: Service;
  let client: ApiClient;

  beforeAll(async () => {
    service = await Service.start({ apis: 1, workers: 0, dispatchers: 0 });
    client = await service.newAccount();
  }, startTimeoutMs);

  afterAll(() => service?.stop({ mayFail: true }), 30_000);

  const keys = (...words: string[]) => service.cluster.command('keys', ...words);
  const answered = (path: string) =>
    eventually(async () =>
      service.cluster
        .process('api-1')
        .logs.map(({ fields }) => fields ?? {})
        .find(({ msg, route }) => msg === 'request.answered' && route === path),
    );

  rule(
    'makes, lists and revokes keys by command; the secret is all that is on standard output (contract 7.1)',
    async () => {
      const secret = await keys('create', '--account', 'acme', '--name', 'reports', '--scopes', 'jobs:read');
      expect(secret).toMatch(/^pdfonce_[\w-]{43}\n$/);
      const reports = service.client(secret.trim());
      expect((await reports.get('/v1/jobs')).status).toBe(200);
      const [id = '', name, scopes, , , revoked] = (await keys('list', '--account', 'acme')).trim().split('\t');
      expect([name, scopes, revoked]).toEqual(['reports', 'jobs:read', 'live']);
      expect(await keys('revoke', id)).toContain(`${id} is revoked since `);
      expect(await keys('list', '--account', 'acme')).not.toContain(secret.trim());
      await eventually(async () => (await reports.get('/v1/jobs')).status === 401);
    },
  );

  rule('names a scope twice and has it once', async () => {
    await keys('create', '--account', 'twice', '--scopes', 'jobs:read,jobs:write, jobs:read');
    expect((await keys('list', '--account', 'twice')).split('\t')[2]).toBe('jobs:read,jobs:write');
  });

  rule('is told what to mend when a command cannot run', async () => {
    await expect(keys()).rejects.toThrow(/list --account NAME/);
    await expect(keys('destroy')).rejects.toThrow('unknown command destroy; there are create, list, revoke');
    await expect(keys('list', '--account', 'nobody')).rejects.toThrow('there is no account nobody');
    await expect(keys('revoke', 'nonsense')).rejects.toThrow('nonsense is no id of a key');
  });

  rule('erases an account by command, and only when told so outright', async () => {
    const accounts = (...words: string[]) => service.cluster.command('accounts', ...words);
    const secret = await keys('create', '--account', 'former', '--name', 'reports');
    expect(await accounts('--help')).toContain('npm run accounts -- erase --account NAME --yes');
    await expect(accounts('erase')).rejects.toThrow('--account NAME is needed');
    await expect(accounts('erase', '--account', 'former')).rejects.toThrow('--yes is needed');
    expect((await service.client(secret.trim()).get('/v1/jobs')).status).toBe(200);
    expect(await accounts('erase', '--account', 'former', '--yes')).toContain('the account former is erased');
    await eventually(async () => (await service.client(secret.trim()).get('/v1/jobs')).status === 401);
    await expect(accounts('erase', '--account', 'former', '--yes')).rejects.toThrow('there is no account former');
  });

  rule('finds each answer in the log with its job, and each refusal with its code (contract 6.2)', async () => {
    const job = (
      await client.submitFiles([{ name: 'a.pdf', bytes: await samplePdf([100]) }], { key: 'k' })
    ).json<JobView>();
    expect(await answered('POST /v1/jobs')).toMatchObject({
      jobId: job.id,
      accountId: expect.stringMatching(/^acct_/),
      isKeyed: true,
      isReplayed: false,
      code: null,
    });
    const early = await client.get(`/v1/jobs/${job.id}/outputs/0`);
    expect(early.json()).toMatchObject({ status: 404, detail: expect.stringContaining('is still queued') });
    expect(early.headers.get('retry-after')).toBe('1');
    const record = await answered('GET /v1/jobs/:job_id/outputs/:index');
    expect(record).toMatchObject({ jobId: job.id, code: 'not_found', requestId: early.headers.get('x-request-id') });
  });

  rule('sees an unmigrated database: not ready, 503, and a log that says what to do', async () => {
    while ((await revertMigration(service.cluster.databaseUrl)) !== null);
    const ready = await client.get('/readyz');
    expect(ready.status).toBe(503);
    expect(ready.json()).toMatchObject({ status: 'unavailable', postgres: 'unmigrated' });
    const headers = { authorization: 'Bearer pdfonce_of-nobody' };
    const refused = await fetch(`${client.url}/v1/usage`, { headers });
    expect(await refused.json()).toMatchObject({ status: 503, code: 'unavailable' });
    await eventually(() => service.apiFailures().join('\n').includes('run npm run migrate'));
    await expect(keys('list', '--account', 'acme')).rejects.toThrow(
      'the database is not migrated: run npm run migrate',
    );
    await migrate(service.cluster.databaseUrl);
    expect((await client.get('/readyz')).status).toBe(200);
  });
});
