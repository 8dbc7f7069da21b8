import { DroppingProxy } from '../support/dropping-proxy.js';
import { documentedProgram, DocumentedPrograms } from './documented-programs.js';
import { Service, startTimeoutMs } from './service.js';

describe('the client in Python of docs/idempotency.md', () => {
  let service: Service;
  let proxy: DroppingProxy;
  let programs: DocumentedPrograms;
  let program: string;

  beforeAll(async () => {
    service = await Service.start({ apis: 1, dispatchers: 0 });
    proxy = await DroppingProxy.open(service.cluster.apiUrls[0] ?? '');
    programs = await DocumentedPrograms.open();
    program = await documentedProgram('### Python', 'python');
  }, startTimeoutMs);

  afterAll(async () => {
    await proxy?.close();
    await service?.stop();
    await programs?.close();
  }, 30_000);

  it.each([
    ['an answer that breaks off', { cutAnswerAt: 100 } as const],
    ['one that is lost', 'drop-answer' as const],
  ])(
    'repeats %s under the same key',
    async (_, fate) => {
      const { apiKey } = await service.newAccount();
      proxy.plan(fate);
      expect(await programs.python(program, { url: proxy.url, apiKey })).toMatch(/^202 true /);
      expect(proxy.requests.map(({ keys, status }) => [keys, status])).toEqual([
        [['invoice-9/merge'], 202],
        [['invoice-9/merge'], 202],
      ]);
    },
    60_000,
  );
});
