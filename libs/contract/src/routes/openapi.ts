import { eventTypes } from '#libs/domain';
import { z } from 'zod';
import { requestErrors } from '../errors/catalogue.js';
import { problemSchema } from '../errors/problem.js';
import { eventSchema } from '../resources/resources.js';
import type { Route } from './route.js';
import { routes } from './routes.js';

type JsonObject = Readonly<Record<string, unknown>>;

/** What the document needs to know that is not in the declarations of the routes. */
export interface OpenApiContext {
  readonly version: string;
  readonly url: string;
  /** The options of each operation. */
  readonly operations: Readonly<Record<string, z.ZodType>>;
}

/** The OpenAPI 3.1 document of the API, generated from the schemas that validate. */
export function openApiDocument(context: OpenApiContext): JsonObject {
  return {
    openapi: '3.1.0',
    info: { title: 'pdfonce', version: context.version, license: { name: 'Apache-2.0', identifier: 'Apache-2.0' } },
    servers: [{ url: context.url }],
    security: [{ api_key: [] }],
    paths: pathsOf(Object.entries<Route>(routes)),
    webhooks: Object.fromEntries(eventTypes.map((type) => [type, webhook(type)])),
    components: {
      securitySchemes: { api_key: { type: 'http', scheme: 'bearer' } },
      schemas: {
        Problem: schemaOf(problemSchema, 'output'),
        ...Object.fromEntries(
          Object.entries(context.operations).map(([name, schema]) => [`options.${name}`, schemaOf(schema, 'input')]),
        ),
      },
    },
  };
}

function pathsOf(declared: readonly (readonly [string, Route])[]): JsonObject {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const [name, route] of declared) {
    const path = route.path.replace(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operation(name, route) };
  }
  return paths;
}

function operation(name: string, route: Route): JsonObject {
  return {
    operationId: name,
    summary: route.summary,
    ...(route.takesSignedLink === true ? { security: [{ api_key: [] }, {}] } : {}),
    'x-scope': route.scope,
    parameters: [...pathParameters(route), ...queryParameters(route), ...headerParameters(route)],
    ...requestBody(route),
    responses: { [route.answer.status]: answer(route), ...problems(route) },
  };
}

function pathParameters(route: Route): readonly JsonObject[] {
  return [...route.path.matchAll(/:(\w+)/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));
}

function queryParameters(route: Route): readonly JsonObject[] {
  if (route.query === undefined) return [];
  const { properties = {} } = schemaOf(route.query, 'input') as { properties?: JsonObject };
  return Object.entries(properties).map(([name, schema]) => ({ name, in: 'query', required: false, schema }));
}

function headerParameters(route: Route): readonly JsonObject[] {
  if (!route.isKeyed) return [];
  const schema = { type: 'string', minLength: 1, maxLength: 255 };
  return [{ name: 'Idempotency-Key', in: 'header', required: false, schema, description: 'One key makes one result.' }];
}

function requestBody(route: Route): JsonObject {
  const content = {
    ...(route.json === undefined ? {} : { 'application/json': { schema: schemaOf(route.json, 'input') } }),
    ...(route.multipart === undefined ? {} : { 'multipart/form-data': { schema: schemaOf(route.multipart, 'input') } }),
  };
  return Object.keys(content).length === 0 ? {} : { requestBody: { required: true, content } };
}

function answer(route: Route): JsonObject {
  const { description, schema, status } = route.answer;
  if (status === 204) return { description };
  const content =
    schema === null ? { 'application/pdf': {} } : { 'application/json': { schema: schemaOf(schema, 'output') } };
  return { description, content };
}

function problems(route: Route): JsonObject {
  const statuses = [...new Set(route.errors.map((code) => requestErrors[code].status))];
  return Object.fromEntries(
    statuses.map((status) => [status, problem(route.errors.filter((code) => requestErrors[code].status === status))]),
  );
}

function problem(codes: Route['errors']): JsonObject {
  return {
    description: codes.map((code) => `\`${code}\`: ${requestErrors[code].when}`).join('\n\n'),
    content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
  };
}

function webhook(type: string): JsonObject {
  const content = { 'application/json': { schema: schemaOf(eventSchema.omit({ object: true }), 'output') } };
  return { post: { operationId: type, requestBody: { content }, responses: { '2XX': { description: 'Delivered' } } } };
}

function schemaOf(schema: z.ZodType, io: 'input' | 'output'): JsonObject {
  const json: Record<string, unknown> = z.toJSONSchema(schema, { io, unrepresentable: 'any', reused: 'inline' });
  delete json['$schema'];
  delete json['id'];
  return json;
}
