import type { JobView } from '#libs/domain';
import type { ApiClient } from '../support/api-client.js';
import { DroppingProxy } from '../support/dropping-proxy.js';
import { DocumentedPrograms, documentedScript } from './documented-programs.js';
import { Service, startTimeoutMs } from './service.js';

describe('the clients of docs/idempotency.md', () => {
  let service: Service;
  let client: ApiClient;
  let programs: DocumentedPrograms;

  beforeAll(async () => {
    service = await Service.start({ apis: 1, dispatchers: 0 });
    client = await service.newAccount();
    programs = await DocumentedPrograms.open();
  }, startTimeoutMs);

  afterAll(async () => {
    await programs?.close();
    await service?.stop();
  }, 30_000);

  it.each(['fetch', '@pdfonce/client'])(
    'make one job with %s, however often they run',
    async (means) => {
      const before = await client.list<JobView>('/v1/jobs');
      const program = await documentedScript(`### TypeScript, with ${means}`);
      const [first, again] = [await programs.javascript(program, client), await programs.javascript(program, client)];
      expect(first).not.toContain('true');
      expect(again).toContain('true');
      const made = (await client.list<JobView>('/v1/jobs')).filter(({ id }) => !before.some((job) => job.id === id));
      expect(made.map(({ operation, inputs }) => [operation, inputs.map(({ name }) => name)])).toEqual([
        ['merge', ['one.pdf', 'two.pdf']],
      ]);
    },
    60_000,
  );

  it('repeat with fetch, under the same key, an answer that breaks off', async () => {
    const proxy = await DroppingProxy.open(client.url);
    try {
      proxy.plan({ cutAnswerAt: 100 });
      const { apiKey } = await service.newAccount();
      const program = await documentedScript('### TypeScript, with fetch');
      expect(await programs.javascript(program, { url: proxy.url, apiKey })).toMatch(/^202 true /);
      expect(proxy.requests.map(({ keys, status }) => [keys, status])).toEqual([
        [['invoice-8/merge'], 202],
        [['invoice-8/merge'], 202],
      ]);
    } finally {
      await proxy.close();
    }
  }, 60_000);

  it('say with fetch what the last attempt met when they give up', async () => {
    const program = (await documentedScript('### TypeScript, with fetch')).replace('tries = 8', 'tries = 1');
    await expect(programs.javascript(program, { url: '', apiKey: '' })).rejects.toThrow(/Failed to parse URL/);
  }, 60_000);
});
