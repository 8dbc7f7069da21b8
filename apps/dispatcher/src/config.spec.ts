import { SettingsError } from '#libs/contract';
import { readDispatcherConfig } from './config.js';

const env = {
  DATABASE_URL: 'postgres://postgres@127.0.0.1/postgres',
  SECRET_KEY: `k1:${Buffer.alloc(32, 1).toString('base64')}`,
};

describe('the settings of a dispatcher', () => {
  it('refuse a time-out for which the lease of a delivery would last too long', () => {
    expect(readDispatcherConfig({ ...env, WEBHOOK_TIMEOUT: '5m' }).WEBHOOK_TIMEOUT).toBe(300_000);
    for (const WEBHOOK_TIMEOUT of ['301s', '30d']) {
      expect(() => readDispatcherConfig({ ...env, WEBHOOK_TIMEOUT })).toThrow(SettingsError);
      expect(() => readDispatcherConfig({ ...env, WEBHOOK_TIMEOUT })).toThrow('WEBHOOK_TIMEOUT must be at most 5m');
    }
  });
});
