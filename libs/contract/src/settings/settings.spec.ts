import { readSettings, SettingsError } from './settings.js';

describe('readSettings', () => {
  it('reads durations as milliseconds, sizes as bytes, lists by comma', () => {
    const env = { JOB_LEASE: '2s', MAX_FILE_SIZE: '50MB', KAFKA_BROKERS: 'a:1, b:2', KAFKA_TLS: 'true' };
    expect(
      readSettings(env, ['JOB_LEASE', 'MAX_FILE_SIZE', 'KAFKA_BROKERS', 'KAFKA_TLS', 'PUBLIC_URL', 'WEBHOOK_ALLOW']),
    ).toEqual({
      JOB_LEASE: 2_000,
      MAX_FILE_SIZE: 50_000_000,
      KAFKA_BROKERS: ['a:1', 'b:2'],
      KAFKA_TLS: true,
      PUBLIC_URL: null,
      WEBHOOK_ALLOW: [],
    });
  });

  it('gives one message for each bad value, with its name and what would do, and without the value', () => {
    const env = { PORT: 'http', JOB_LEASE: '5 minutes', LOG_LEVEL: 'loud', DATABASE_URL: '' };
    const read = () => readSettings(env, ['PORT', 'JOB_LEASE', 'LOG_LEVEL', 'DATABASE_URL']);
    expect(read).toThrow(SettingsError);
    try {
      read();
    } catch (error) {
      const { problems } = error as SettingsError;
      expect(problems).toHaveLength(4);
      expect(problems.join()).not.toMatch(/minutes|loud|http/);
    }
  });
});
