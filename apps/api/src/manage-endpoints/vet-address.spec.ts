import { AddressAllowList, AddressGuard } from '#libs/domain';
import { addressProblem } from './vet-address.js';

const names: Readonly<Record<string, readonly string[]>> = {
  'public.example': ['8.8.8.8'],
  'listed.example': ['10.0.0.7'],
  'private.example': ['192.168.0.1'],
  'metadata.example': ['169.254.169.254'],
};
const guard = new AddressGuard(AddressAllowList.parse(['10.0.0.0/8', 'receiver.internal']));
const problemOf = (url: string) =>
  addressProblem(guard, url, async (host) => (names[host] ?? []).map((address) => ({ address, family: 4 })));

describe('the address of a webhook endpoint', () => {
  it.each([
    'https://public.example/',
    'https://not-yet.example/',
    'https://listed.example/',
    'http://listed.example/',
    'http://receiver.internal/',
    'http://10.1.2.3/',
  ])('may be %s', async (url) => expect(await problemOf(url)).toBeNull());

  it.each(['http://public.example/', 'http://8.8.8.8/', 'http://not-yet.example/'])(
    'may not be %s: plain http leads only to what is listed',
    async (url) => expect(await problemOf(url)).toContain('http is only for hosts that WEBHOOK_ALLOW names'),
  );

  it('that is not public can be listed, and the refusal says so', async () => {
    expect(await problemOf('https://private.example/')).toContain('(private); WEBHOOK_ALLOW can name it');
  });

  it.each(['https://metadata.example/', 'https://169.254.169.254/', 'http://[::ffff:169.254.169.254]/'])(
    'may never be %s, which hands out credentials, and the refusal offers no list',
    async (url) => {
      const problem = await problemOf(url);
      expect(problem).toContain('hands out credentials');
      expect(problem).not.toContain('WEBHOOK_ALLOW');
    },
  );
});
