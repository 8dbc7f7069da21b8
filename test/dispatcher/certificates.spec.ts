import { AddressAllowList, AddressGuard } from '#libs/domain';
import { GuardedAgent } from '#libs/egress';
import type { SendResult } from '../../apps/dispatcher/src/send-request/exchange.js';
import { SendRequest } from '../../apps/dispatcher/src/send-request/send-request.js';
import {
  expiredCertificate,
  otherCertificate,
  receiverCertificate,
  testAuthority,
  type TestCertificate,
} from '../support/certificates.js';
import { answering, HostileReceiver } from '../support/hostile-receiver.js';

const guard = new AddressGuard(AddressAllowList.parse(['127.0.0.1']));
const behaviour = answering('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok');

let receiver: HostileReceiver;
let agent: GuardedAgent;

afterEach(async () => {
  await agent.destroy();
  await receiver.close();
});

async function send(certificate: TestCertificate, ca?: string): Promise<SendResult> {
  receiver = await HostileReceiver.open(behaviour, certificate);
  const resolve = async () => [{ address: '127.0.0.1', family: 4 }];
  agent = new GuardedAgent({ guard, resolve, ...(ca === undefined ? {} : { ca }) });
  const request = { url: `https://receiver.test:${receiver.port}/`, headers: {}, body: Buffer.from('{}') };
  const { signal } = new AbortController();
  return new SendRequest(agent, guard).send(request, {
    timeoutMs: 5_000,
    leaseEndsAtMs: performance.now() + 20_000,
    signal,
  });
}

describe('a receiver by https', () => {
  it('is sent to when its certificate is its own, valid and of a trusted authority', async () => {
    expect(await send(receiverCertificate, testAuthority)).toMatchObject({ kind: 'answered', statusCode: 200 });
    expect(receiver.requests).toHaveLength(1);
  });

  it.each<[string, TestCertificate, string | undefined, string]>([
    ['has expired', expiredCertificate, testAuthority, 'CERT_HAS_EXPIRED'],
    ['is of another name', otherCertificate, testAuthority, 'ERR_TLS_CERT_ALTNAME_INVALID'],
    ['is of an authority that nobody trusts', receiverCertificate, undefined, 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'],
  ])('is sent nothing when its certificate %s', async (_, certificate, ca, code) => {
    expect(await send(certificate, ca)).toMatchObject({ kind: 'failed', outcome: 'tls_error', error: { code } });
    expect(receiver.requests).toEqual([]);
  });
});
