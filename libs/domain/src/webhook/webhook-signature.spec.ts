import { randomBytes } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { webhookHeaders, webhookSecret } from './webhook-signature.js';

const now = () => Math.floor(Date.now() / 1000);

describe('webhookHeaders', () => {
  it('verify with the public library, whichever of the live secrets the receiver has', () => {
    const secrets = [webhookSecret(randomBytes), webhookSecret(randomBytes)];
    const body = '{"emoji":"😀","a":"<>&/ ","n":1.0}';
    const headers = webhookHeaders({ id: 'evt_1', timestamp: now(), body }, secrets);
    for (const secret of secrets) expect(new Webhook(secret).verify(body, headers)).toBeTruthy();
  });

  it('do not verify for another body or secret', () => {
    const secret = webhookSecret(randomBytes);
    const headers = webhookHeaders({ id: 'evt_1', timestamp: now(), body: '{}' }, [secret]);
    expect(() => new Webhook(secret).verify('{ }', headers)).toThrow();
    expect(() => new Webhook(webhookSecret(randomBytes)).verify('{}', headers)).toThrow();
  });
});
