import { eventTypes } from '#libs/domain';
import { z } from 'zod';
import { requestErrors } from '../errors/request-errors.js';
import { openApiDocument } from './openapi.js';
import type { Route } from './route.js';
import { routes } from './routes.js';

interface Operation {
  readonly parameters: readonly { readonly name: string; readonly in: string }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Body }>> };
  readonly responses: Readonly<Record<string, Response>>;
}

interface Response {
  readonly description: string;
  readonly content?: Readonly<Record<string, object>>;
}

interface Body {
  readonly properties: Readonly<Record<string, unknown>>;
}

interface Described {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly webhooks: Readonly<Record<string, unknown>>;
  readonly components: { readonly schemas: Readonly<Record<string, unknown>> };
}

const operations = { merge: z.strictObject({}), split: z.strictObject({ by: z.literal('pages') }) };
const document = JSON.parse(
  JSON.stringify(openApiDocument({ version: '1.2.3', url: 'http://localhost', operations })),
) as Described;

const createJob = () => document.paths['/v1/jobs']?.['post'];
const headersOf = (operation: Operation | undefined) =>
  operation?.parameters.filter((parameter) => parameter.in === 'header').map(({ name }) => name);

describe('the OpenAPI document', () => {
  it('has no reference that leads nowhere', () => {
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)].map(([, target = '']) => target);
    const names = references.map((target) => target.replace('#/components/schemas/', ''));
    expect(Object.keys(document.components.schemas)).toEqual(expect.arrayContaining([...new Set(names)]));
  });

  it('has each shared shape once, under its name', () => {
    expect(Object.keys(document.components.schemas).sort()).toEqual(
      [
        'ApiKey',
        'Batch',
        'Delivery',
        'Event',
        'File',
        'Job',
        'JobHistory',
        'MergeOptions',
        'Problem',
        'Readiness',
        'Recovery',
        'SplitOptions',
        'Usage',
        'WebhookEndpoint',
      ].sort(),
    );
    expect(JSON.stringify(document)).not.toContain('$defs');
  });

  it('names the operations and the options of each, and every kind of input', () => {
    const { properties } = createJob()?.requestBody?.content['application/json']?.schema ?? {};
    expect(properties).toMatchObject({
      operation: { enum: ['merge', 'split'] },
      options: {
        anyOf: [{ $ref: '#/components/schemas/MergeOptions' }, { $ref: '#/components/schemas/SplitOptions' }],
      },
    });
    expect(JSON.stringify(properties)).toContain('file_id');
    expect(JSON.stringify(properties)).toContain('"url"');
  });

  it('tells how to wait for a job or its document, and how to get a part of one', () => {
    expect(headersOf(createJob())).toEqual(['Idempotency-Key', 'Prefer', 'Accept']);
    expect(Object.keys(createJob()?.responses['200']?.content ?? {})).toEqual(['application/json', 'application/pdf']);
    const download = document.paths['/v1/jobs/{job_id}/outputs/{index}']?.['get'];
    expect(headersOf(download)).toContain('Range');
    expect(Object.keys(download?.responses ?? {})).toEqual(expect.arrayContaining(['200', '206', '304', '416']));
  });

  it('names the codes of every refusal of a route under its status', () => {
    for (const { method, path, errors } of Object.values<Route>(routes)) {
      const operation = document.paths[path.replace(/:(\w+)/g, '{$1}')]?.[method.toLowerCase()];
      for (const code of errors)
        expect(operation?.responses[requestErrors[code].status]?.description).toContain(`\`${code}\`: `);
    }
    expect(createJob()?.responses['422']?.description).toContain('`not_a_pdf`: ');
  });

  it('has the routes on which the service tells of itself', () => {
    const about = [
      '/healthz',
      '/readyz',
      '/metrics',
      '/openapi.json',
      '/asyncapi.json',
      '/docs',
      '/docs/errors/{code}',
    ];
    expect(Object.keys(document.paths)).toEqual(expect.arrayContaining(about));
  });

  it('lists a webhook of every type of event (contract 3.1, 3.6)', () => {
    expect(Object.keys(document.webhooks)).toEqual(eventTypes);
  });
});
