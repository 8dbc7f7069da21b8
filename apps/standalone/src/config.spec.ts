import { ignoredSettings, readStartSettings } from './config.js';

describe('the settings of a start', () => {
  it.each([{}, { PORT: '8080', IDEMPOTENCY_TTL: '20d' }])('are read: %j', (env) => {
    expect(readStartSettings(env)).toMatchObject({ PORT: Number(env.PORT ?? 3000) });
  });

  it('are refused together, those of the apps included, before anything is opened', () => {
    const env = { PORT: 'no', IDEMPOTENCY_TTL: '40d', WEBHOOK_TIMEOUT: 'soon' };
    expect(() => readStartSettings(env)).toThrow(/PORT[^]*JOB_TTL[^]*WEBHOOK_TIMEOUT/);
  });
});

describe('settings that the standalone service makes for itself', () => {
  it.each([
    [{ SECRET_KEY: 'k1:x' }, /^SECRET_KEY: npm start does not use .*secret key, in \/srv\/data/],
    [{ KAFKA_BROKERS: 'kafka:9092', DATABASE_URL: 'postgres://x', PORT: '3000' }, /^DATABASE_URL, KAFKA_BROKERS: /],
  ])('are named, never shown, when the environment has them: %j', (env, warning) => {
    expect(ignoredSettings(env, '/srv/data')).toMatch(warning);
    expect(ignoredSettings(env, '/srv/data')).not.toMatch(/k1:x|9092|postgres:/);
  });

  it.each([{}, { SECRET_KEY: '' }, { PORT: '3000' }])('are not spoken of otherwise: %j', (env) => {
    expect(ignoredSettings(env, '/srv/data')).toBeNull();
  });
});
