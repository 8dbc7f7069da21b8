import { readSettings, SettingsError } from './settings.js';

describe('readSettings', () => {
  it('reads durations as milliseconds, sizes as bytes, lists by comma', () => {
    const env = { JOB_LEASE: '2s', MAX_FILE_SIZE: '50MB', KAFKA_BROKERS: 'a:1, b:2', KAFKA_TLS: 'true' };
    expect(readSettings(env, ['JOB_LEASE', 'MAX_FILE_SIZE', 'KAFKA_BROKERS', 'KAFKA_TLS', 'PUBLIC_URL'])).toEqual({
      JOB_LEASE: 2_000,
      MAX_FILE_SIZE: 50_000_000,
      KAFKA_BROKERS: ['a:1', 'b:2'],
      KAFKA_TLS: true,
      PUBLIC_URL: null,
    });
  });

  it('reads a rate as requests in a window of seconds, and off as none', () => {
    const rate = (text: string) => readSettings({ RATE_LIMIT: text }, ['RATE_LIMIT']).RATE_LIMIT;
    expect(rate('')).toEqual({ units: 600, windowSeconds: 60 });
    expect(rate('10000/1h')).toEqual({ units: 10_000, windowSeconds: 3_600 });
    expect(rate('off')).toBeNull();
    for (const text of ['600', '0/60s', '1.5/60s', '600/1500ms', '600/0s', '600/2d', '600/60', 'none', '1000001/1s']) {
      expect(() => rate(text)).toThrow(/RATE_LIMIT must be off, or requests/);
    }
  });

  it('gives one message for each bad value, with its name and what would do, and without the value', () => {
    const env = {
      PORT: 'http',
      JOB_LEASE: '5 minutes',
      LOG_LEVEL: 'loud',
      DATABASE_URL: '',
      SECRET_KEY: 'k1:c2hvcnQ=',
      STORAGE_URL: 's3://bucket',
      WEBHOOK_ALLOW: '10.0.0.0/99',
    };
    const read = () =>
      readSettings(env, [
        'PORT',
        'JOB_LEASE',
        'LOG_LEVEL',
        'DATABASE_URL',
        'SECRET_KEY',
        'STORAGE_URL',
        'WEBHOOK_ALLOW',
      ]);
    expect(read).toThrow(SettingsError);
    try {
      read();
    } catch (error) {
      const { problems } = error as SettingsError;
      expect(problems).toHaveLength(7);
      expect(problems.join()).not.toMatch(/minutes|loud|http:|c2hvcnQ|bucket/);
    }
  });

  it('takes the default of the process before that of the table, and what is set before both', () => {
    expect(readSettings({}, ['PORT'])).toEqual({ PORT: 3000 });
    expect(readSettings({}, ['PORT'], { PORT: '0' })).toEqual({ PORT: 0 });
    expect(readSettings({ PORT: '80' }, ['PORT'], { PORT: '0' })).toEqual({ PORT: 80 });
  });
});
