import { ignoredSettings } from './config.js';

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
