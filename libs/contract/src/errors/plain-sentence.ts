import type { z } from 'zod';

type RawIssue = z.core.$ZodRawIssue;

/** What is wrong with a value, said of the value, such as `must be an array, not a string`; schemas that know better say it themselves. */
export function plainSentence(issue: RawIssue): string | undefined {
  return sentences[issue.code]?.(issue);
}

const nouns: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'an array',
  object: 'an object',
  record: 'an object',
  file: 'a file',
  null: 'null',
};

const units: Readonly<Record<string, readonly [one: string, many: string]>> = {
  string: [' character', ' characters'],
  array: [' entry', ' entries'],
};

const examples: Readonly<Record<string, string>> = {
  datetime: 'an instant such as 2026-11-01T00:00:00Z',
  date: 'a date such as 2026-11-01',
  url: 'a URL',
};

const sentences: Readonly<Record<string, (issue: RawIssue) => string | undefined>> = {
  invalid_type: ({ expected, input }) => wrongType(nounOf(String(expected)), input),
  invalid_value: ({ values, input }) => wrongType(`one of ${listOf(values)}`, input, 'value'),
  too_small: ({ origin, minimum }) => `must ${bound(origin, 'at least', minimum)}`,
  too_big: ({ origin, maximum }) => `must ${bound(origin, 'at most', maximum)}`,
  invalid_format: ({ format }) => `must be ${examples[String(format)] ?? 'of another form'}`,
  invalid_key: ({ issues }) => `this name ${(issues as readonly { message: string }[])[0]?.message ?? 'is not valid'}`,
  unrecognized_keys: ({ inst }) => unknownField(inst as z.core.$ZodObject | undefined),
};

function wrongType(expected: string, input: unknown, shows: 'kind' | 'value' = 'kind'): string {
  if (input === undefined) return `is required (${expected})`;
  const saysAll = shows === 'value' || (typeof input === 'number' && expected.endsWith('number'));
  return saysAll ? `must be ${expected}` : `must be ${expected}, not ${nounOfValue(input)}`;
}

function nounOf(expected: string): string {
  return nouns[expected] ?? expected;
}

function nounOfValue(input: unknown): string {
  if (input === null) return 'null';
  if (typeof input === 'boolean') return 'a boolean';
  return nounOf(Array.isArray(input) ? 'array' : typeof input);
}

function bound(origin: unknown, limit: string, size: unknown): string {
  const unit = units[String(origin)];
  if (unit === undefined) return `be ${limit} ${String(size)}`;
  return `have ${limit} ${String(size)}${unit[size === 1 ? 0 : 1]}`;
}

function unknownField(object: z.core.$ZodObject | undefined): string {
  const known = Object.keys(object?._zod.def.shape ?? {});
  return known.length === 0 ? 'unknown field; there are none' : `unknown field; there are ${known.join(', ')}`;
}

function listOf(values: unknown): string {
  return (values as readonly unknown[]).map(String).join(', ');
}
