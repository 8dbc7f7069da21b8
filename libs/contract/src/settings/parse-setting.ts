import { randomBytes } from 'node:crypto';
import { AddressAllowList, AllowListError, readUrl, SecretKeyError, SecretKeyring } from '#libs/domain';

/** The kinds of value that a setting can have, each with its own spelling in the environment. */
export type SettingKind =
  | 'text'
  | 'integer'
  | 'port'
  | 'boolean'
  | 'duration'
  | 'size'
  | 'rate'
  | 'list'
  | 'url'
  | 'level'
  | 'sasl'
  | 'storage'
  | 'keyring'
  | 'addresses';

/** How many new requests fit into a window of so many seconds. */
export interface RateLimit {
  readonly units: number;
  readonly windowSeconds: number;
}

/** User and password for Kafka. */
export type Sasl = {
  [M in (typeof mechanisms)[number]]: { readonly mechanism: M; readonly username: string; readonly password: string };
}[(typeof mechanisms)[number]];

const mechanisms = ['plain', 'scram-sha-256', 'scram-sha-512'] as const;

/** The value of a setting of each kind: durations in milliseconds, sizes in bytes, a rate that is off `null`. */
export interface SettingValues {
  readonly text: string;
  readonly integer: number;
  readonly port: number;
  readonly boolean: boolean;
  readonly duration: number;
  readonly size: number;
  readonly rate: RateLimit | null;
  readonly list: readonly string[];
  readonly url: string;
  readonly level: string;
  readonly sasl: Sasl;
  readonly storage: string;
  readonly keyring: SecretKeyring;
  readonly addresses: AddressAllowList;
}

/** A value that is none of its kind; the message says what would be one and never shows the value itself. */
export class SettingProblem extends Error {
  override readonly name = 'SettingProblem';
}

const unitsMs: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const unitsBytes: Readonly<Record<string, number>> = { B: 1, KB: 1_000, MB: 1_000_000, GB: 1_000_000_000 };
const levels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'];

const parsers: { readonly [K in SettingKind]: (text: string) => SettingValues[K] } = {
  text: (text) => text,
  integer: (text) => number(text, 1, 1_000_000, 'a whole number from 1 to 1000000'),
  port: (text) => number(text, 0, 65_535, 'a port from 0 to 65535'),
  boolean: (text) => oneOf(text, ['true', 'false'], 'true or false') === 'true',
  duration: (text) => quantity(text, unitsMs, 'a duration such as 500ms, 30s, 5m, 24h or 7d'),
  size: (text) => quantity(text, unitsBytes, 'a size such as 500KB, 50MB or 2GB'),
  rate: parseRate,
  list: (text) =>
    text
      .split(',')
      .map((item) => item.trim())
      .filter((item) => item !== ''),
  url: parseUrl,
  level: (text) => oneOf(text, levels, `one of ${levels.join(', ')}`),
  sasl: parseSasl,
  storage: parseStorage,
  keyring: (text) => parseAs(SecretKeyError, () => SecretKeyring.parse(text, randomBytes)),
  addresses: (text) => parseAs(AllowListError, () => AddressAllowList.parse(parsers.list(text))),
};

/** @throws SettingProblem */
export function parseSetting<K extends SettingKind>(kind: K, text: string): SettingValues[K] {
  return parsers[kind](text);
}

function number(text: string, least: number, most: number, expected: string): number {
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (!(value >= least && value <= most)) throw new SettingProblem(`must be ${expected}`);
  return value;
}

function quantity(text: string, units: Readonly<Record<string, number>>, expected: string): number {
  const [, digits, unit] = /^(\d+)([A-Za-z]+)$/.exec(text) ?? [];
  const factor = unit === undefined ? undefined : units[unit];
  if (digits === undefined || factor === undefined || Number(digits) === 0)
    throw new SettingProblem(`must be ${expected}`);
  return Number(digits) * factor;
}

const longestWindowMs = 86_400_000;

function parseRate(text: string): RateLimit | null {
  if (text === 'off') return null;
  const expected = 'off, or requests and the window they fit into, from 1s to 24h, such as 600/60s or 10000/1h';
  const [, requests, window] = /^(\d+)\/(.+)$/.exec(text) ?? [];
  if (requests === undefined || window === undefined) throw new SettingProblem(`must be ${expected}`);
  const windowMs = quantity(window, unitsMs, expected);
  if (windowMs % 1_000 !== 0 || windowMs > longestWindowMs) throw new SettingProblem(`must be ${expected}`);
  return { units: number(requests, 1, 1_000_000, expected), windowSeconds: windowMs / 1_000 };
}

function oneOf(text: string, values: readonly string[], expected: string): string {
  if (!values.includes(text)) throw new SettingProblem(`must be ${expected}`);
  return text;
}

function parseUrl(text: string): string {
  if (readUrl(text) === null) throw new SettingProblem('must be a URL');
  return text.replace(/\/$/, '');
}

function parseSasl(text: string): Sasl {
  const [, name, username, password] = /^([^:]+):([^:]+):(.+)$/.exec(text) ?? [];
  const mechanism = mechanisms.find((known) => known === name?.toLowerCase());
  if (mechanism === undefined || username === undefined || password === undefined) {
    throw new SettingProblem(`must be mechanism:user:password with one of ${mechanisms.join(', ')}`);
  }
  return { mechanism, username, password };
}

function parseStorage(text: string): string {
  if (!/^file:\/\/\/./.test(text)) throw new SettingProblem('must be file:///path; other storages are not there yet');
  return parseUrl(text);
}

function parseAs<T>(expected: new (message: string) => Error, parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    if (!(error instanceof expected)) throw error;
    throw new SettingProblem(`cannot be used: ${error.message}`, { cause: error });
  }
}
