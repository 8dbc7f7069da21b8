import { eventTypes } from '#libs/domain';
import type { z } from 'zod';
import { endpointRequestSchema } from '../routes/endpoint-request.js';
import { jobRequestSchema } from '../routes/requests.js';
import { routes } from '../routes/routes.js';
import { RequestRefused } from './problem.js';
import { type RequestPlace, validate } from './validate.js';

function problemsOf(schema: z.ZodType, value: unknown, place: RequestPlace = 'body'): readonly string[] {
  try {
    validate(schema, value, place);
    return [];
  } catch (error) {
    if (!(error instanceof RequestRefused)) throw error;
    return error.detail.split('; /');
  }
}

const url = 'https://example.com/hook';

describe('a value that is against its schema', () => {
  it.each<[string, z.ZodType, unknown, string]>([
    ['missing', jobRequestSchema, { inputs: [{ part: 0 }] }, '/operation: is required (a string)'],
    ['of another type', jobRequestSchema, { operation: 'm', inputs: 'a' }, '/inputs: must be an array, not a string'],
    ['a number', endpointRequestSchema, { url: 42 }, '/url: must be a string, not a number'],
    ['null', endpointRequestSchema, { url: null }, '/url: must be a string, not null'],
    ['no object', jobRequestSchema, [], 'body: must be an object, not an array'],
    ['too few', jobRequestSchema, { operation: 'm', inputs: [] }, '/inputs: must have at least 1 entry'],
    [
      'unknown',
      jobRequestSchema,
      { operation: 'm', inputs: [{ part: 0 }], colour: 1 },
      '/colour: unknown field; there are operation, inputs, options, metadata',
    ],
    [
      'an input in two forms',
      jobRequestSchema,
      { operation: 'm', inputs: [{ url, file_id: 'f', output: 1 }] },
      '/inputs/0: must be an object with exactly one of file_id, job_id, url, part: it has file_id and url',
    ],
    [
      'an input in no form',
      jobRequestSchema,
      { operation: 'm', inputs: [{ output: 1 }] },
      '/inputs/0: must be an object with exactly one of file_id, job_id, url, part: it has none of them',
    ],
    [
      'unknown in an input',
      jobRequestSchema,
      { operation: 'm', inputs: [{ file_id: 'f', page: 1 }] },
      '/inputs/0/page: unknown field; there are file_id, pages, password',
    ],
    [
      'a password that is too long',
      jobRequestSchema,
      { operation: 'm', inputs: [{ part: 0, password: 'é'.repeat(64) }] },
      '/inputs/0/password: must have at most 127 bytes in UTF-8',
    ],
    [
      'a password that is empty',
      jobRequestSchema,
      { operation: 'm', inputs: [{ url, password: '' }] },
      '/inputs/0/password: must have at least 1 character',
    ],
    [
      'no event type',
      endpointRequestSchema,
      { url, event_types: ['job.exploded'] },
      `/event_types/0: selects no event type; there are ${eventTypes.join(', ')}`,
    ],
    [
      'a name that is taken',
      endpointRequestSchema,
      { url, headers: { 'webhook-id': 'x' } },
      '/headers/webhook-id: this name is the name of a header that the service sets',
    ],
  ])('that is %s is told of in a plain sentence (contract 6.2)', (_, schema, value, sentence) => {
    expect(problemsOf(schema, value)).toEqual([sentence]);
  });

  it.each<[z.ZodType, object, string]>([
    [routes.listJobs.query, { limit: '0' }, 'query limit: must be at least 1'],
    [routes.listJobs.query, { limit: 'many' }, 'query limit: must be a number'],
    [
      routes.listJobs.query,
      { state: 'done' },
      'query state: must be one of queued, processing, completed, failed, cancelled',
    ],
    [
      routes.readUsage.query,
      { from: 'yesterday' },
      'query from: must be an instant such as 2026-11-01T00:00:00Z or a date such as 2026-11-01',
    ],
  ])('in a query names the parameter', (schema, value, sentence) => {
    expect(problemsOf(schema, value, 'query')).toEqual([sentence]);
  });

  it('is one of several: each is named (contract 6.2)', () => {
    expect(problemsOf(jobRequestSchema, { inputs: 1, options: 2 })).toHaveLength(3);
  });
});

describe('a time in a query', () => {
  it.each(['2026-11-01', '2026-11-01T00:00:00Z', '2026-11-01T00:00:00.5+01:00'])('may be %s', (from) => {
    expect(problemsOf(routes.readUsage.query, { from }, 'query')).toEqual([]);
  });
});
