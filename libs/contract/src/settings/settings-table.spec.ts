import { readFileSync } from 'node:fs';
import { readApiConfig } from '../../../../apps/api/src/config.js';
import { readDispatcherConfig } from '../../../../apps/dispatcher/src/config.js';
import { readWorkerConfig } from '../../../../apps/worker/src/config.js';
import { tableBelow } from '../../../../test/support/markdown-table.js';
import { type Setting, settings } from './settings.js';

const env = {
  DATABASE_URL: 'postgres://127.0.0.1/pdfonce',
  STORAGE_URL: 'file:///objects',
  SECRET_KEY: `k1:${Buffer.alloc(32).toString('base64')}`,
};

const readers: Readonly<Record<string, object>> = {
  api: readApiConfig(env),
  worker: readWorkerConfig(env),
  dispatcher: readDispatcherConfig(env),
};

function rowOf([name, setting]: [string, Setting]): readonly string[] {
  const standsFor: Readonly<Record<string, string>> = { '': 'none' };
  const byDefault = setting.default === null ? 'required' : (standsFor[setting.default] ?? `\`${setting.default}\``);
  const readBy = Object.keys(readers).filter((process) => name in (readers[process] ?? {}));
  return [`\`${name}\``, setting.kind, byDefault, readBy.join(', ') || 'standalone', setting.meaning];
}

describe('docs/settings.md', () => {
  it('has one row for each setting, with its kind, its default, who reads it and what it means', () => {
    const markdown = readFileSync(new URL('../../../../docs/settings.md', import.meta.url), 'utf8');
    expect(tableBelow(markdown, '## All settings')).toEqual(Object.entries<Setting>(settings).map(rowOf));
  });
});
