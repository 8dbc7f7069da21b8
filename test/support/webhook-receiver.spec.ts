import { Webhook } from 'standardwebhooks';
import { eventually } from './eventually.js';
import { verified, WebhookReceiver } from './webhook-receiver.js';

const secret = `whsec_${Buffer.from('0123456789abcdef0123456789abcdef').toString('base64')}`;

let receiver: WebhookReceiver;

beforeEach(async () => {
  receiver = await WebhookReceiver.open();
});

afterEach(() => receiver.close());

async function post(body: string, headers: Record<string, string> = {}): Promise<number> {
  const response = await fetch(receiver.url, { method: 'POST', body, headers });
  return response.status;
}

describe('WebhookReceiver', () => {
  it('keeps every request and answers by the script, the last answer for ever', async () => {
    receiver.respond([503, { status: 429, headers: { 'retry-after': '1' } }, 204]);
    expect([await post('a'), await post('b'), await post('c'), await post('d')]).toEqual([503, 429, 204, 204]);
    expect(receiver.received().map(({ body }) => body.toString())).toEqual(['a', 'b', 'c', 'd']);
    expect(receiver.received(({ body }) => body.toString() === 'c')).toHaveLength(1);
  });

  it('cuts the connection, or never answers until it is closed', async () => {
    receiver.respond(['reset', 'hang']);
    await expect(post('reset')).rejects.toThrow();
    const hanging = expect(post('hang')).rejects.toThrow();
    await eventually(() => receiver.received().length === 2);
    await receiver.close();
    await hanging;
  });

  it('tells a signed request from a forged one', async () => {
    const sentAt = new Date();
    const signed = {
      'webhook-id': 'evt_1',
      'webhook-timestamp': String(Math.floor(sentAt.getTime() / 1000)),
      'webhook-signature': new Webhook(secret).sign('evt_1', sentAt, '{"a":1}'),
    };
    await post('{"a":1}', signed);
    await post('{"a":2}', signed);
    const [genuine, forged] = receiver.received();
    expect(genuine && verified(secret)(genuine)).toEqual({ a: 1 });
    expect(() => forged && verified(secret)(forged)).toThrow();
  });
});
