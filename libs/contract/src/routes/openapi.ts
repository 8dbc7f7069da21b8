import { type EventType, eventTypes } from '#libs/domain';
import type { z } from 'zod';
import { jobErrors } from '../errors/job-errors.js';
import { requestErrors } from '../errors/request-errors.js';
import { problemSchema } from '../errors/problem.js';
import { eventBodySchema } from '../resources/event-data.js';
import { type AboutRoute, aboutRoutes } from './about-routes.js';
import type { Answer, Route } from './route.js';
import { routes } from './routes.js';
import { type JsonObject, SchemaComponents } from './schema-components.js';

/** What the document needs to know that is not in the declarations of the routes. */
export interface OpenApiContext {
  readonly version: string;
  readonly url: string;
  /** The options of each operation. */
  readonly operations: Readonly<Record<string, z.ZodType>>;
}

/** The OpenAPI 3.1 document of the API, generated from the schemas that validate. */
export function openApiDocument({ version, url, operations }: OpenApiContext): JsonObject {
  const described = new DescribedRoutes(operations);
  const paths = described.paths();
  const webhooks = Object.fromEntries(eventTypes.map((type) => [type, described.webhook(type)]));
  return {
    openapi: '3.1.0',
    info: { title: 'pdfonce', version, license: { name: 'Apache-2.0', identifier: 'Apache-2.0' } },
    servers: [{ url }],
    security: [{ api_key: [] }],
    paths,
    webhooks,
    components: {
      securitySchemes: { api_key: { type: 'http', scheme: 'bearer' } },
      schemas: described.components.stored(),
    },
  };
}

class DescribedRoutes {
  readonly components = new SchemaComponents();
  private readonly problem = this.components.of(problemSchema, 'output');

  constructor(private readonly operations: OpenApiContext['operations']) {}

  paths(): JsonObject {
    const paths: Record<string, Record<string, unknown>> = {};
    const add = ({ method, path }: Pick<Route, 'method' | 'path'>, described: JsonObject): void => {
      const template = path.replace(/:(\w+)/g, '{$1}');
      paths[template] = { ...paths[template], [method.toLowerCase()]: described };
    };
    for (const [name, route] of Object.entries<Route>(routes)) add(route, this.route(name, route));
    for (const [name, route] of Object.entries<AboutRoute>(aboutRoutes)) add(route, this.aboutRoute(name, route));
    return paths;
  }

  webhook(type: EventType): JsonObject {
    const content = { 'application/json': { schema: this.components.of(eventBodySchema(type), 'output') } };
    return {
      post: { operationId: type, requestBody: { content }, responses: { '2XX': { description: 'Delivered' } } },
    };
  }

  private route(name: string, route: Route): JsonObject {
    const answers = [route.answer, ...(route.otherAnswers ?? [])];
    return {
      operationId: name,
      summary: route.summary,
      ...(route.takesSignedLink === true ? { security: [{ api_key: [] }, {}] } : {}),
      'x-scope': route.scope,
      parameters: [...pathParameters(route.path), ...this.queryParameters(route), ...headerParameters(route)],
      ...this.requestBody(route),
      responses: {
        ...Object.fromEntries(answers.map((answer) => [answer.status, this.answer(answer)])),
        ...this.problems(route),
      },
    };
  }

  private aboutRoute(name: string, { path, summary, answers, schema }: AboutRoute): JsonObject {
    const json = schema === undefined ? {} : { schema: this.components.of(schema, 'output') };
    const responses = Object.entries(answers).map(([status, [description, ...mediaTypes]]) => {
      const body = (mediaType: string): [string, JsonObject] => [
        mediaType,
        mediaType === problemType ? { schema: this.problem } : json,
      ];
      return [status, { description, content: Object.fromEntries(mediaTypes.map(body)) }] as const;
    });
    const parameters = pathParameters(path);
    return { operationId: name, summary, security: [{}], parameters, responses: Object.fromEntries(responses) };
  }

  private queryParameters({ query }: Route): readonly JsonObject[] {
    const parameters = Object.entries<z.ZodType>(query?.shape ?? {});
    return parameters.map(([name, value]) => ({
      ...{ name, in: 'query', required: false },
      schema: this.components.of(value, 'input'),
    }));
  }

  private requestBody(route: Route): JsonObject {
    const { json, multipart } = route;
    const content = {
      ...(json === undefined ? {} : { 'application/json': { schema: this.body(route, json, true) } }),
      ...(multipart === undefined ? {} : { 'multipart/form-data': { schema: this.body(route, multipart, false) } }),
    };
    return Object.keys(content).length === 0
      ? {}
      : { requestBody: { required: route.isBodyOptional !== true, content } };
  }

  /** Where the body names an operation, it names one there is, and has its options. */
  private body(route: Route, schema: z.ZodType, hasOptions: boolean): JsonObject {
    const body = this.components.of(schema, 'input');
    if (route.takesOperation !== true) return body;
    const options = { anyOf: Object.entries(this.operations).map((entry) => this.options(...entry)), default: {} };
    const operation = { type: 'string', enum: Object.keys(this.operations) };
    const properties = { ...(body['properties'] as JsonObject), operation, ...(hasOptions ? { options } : {}) };
    return { ...body, properties };
  }

  private options(operation: string, schema: z.ZodType): JsonObject {
    const name = `${operation.charAt(0).toUpperCase()}${operation.slice(1)}Options`;
    return this.components.add(name, { title: `Options of ${operation}`, ...this.components.of(schema, 'input') });
  }

  private answer({ description, schema, isDocument = false }: Answer): JsonObject {
    const content = {
      ...(schema === null ? {} : { 'application/json': { schema: this.components.of(schema, 'output') } }),
      ...(isDocument ? { 'application/pdf': {} } : {}),
    };
    return Object.keys(content).length === 0 ? { description } : { description, content };
  }

  private problems({ errors, takesOperation = false }: Route): JsonObject {
    const codes: readonly (readonly [code: string, entry: { readonly status: number; readonly when: string }])[] = [
      ...errors.map((code) => [code, requestErrors[code]] as const),
      ...(takesOperation ? heldJobErrors : []),
    ];
    const statuses = [...new Set(codes.map(([, { status }]) => status))];
    return Object.fromEntries(
      statuses.map((status) => {
        const lines = codes
          .filter(([, entry]) => entry.status === status)
          .map(([code, { when }]) => `\`${code}\`: ${when}`);
        return [status, { description: lines.join('\n\n'), content: { [problemType]: { schema: this.problem } } }];
      }),
    );
  }
}

const problemType = 'application/problem+json';

/** With what a held request for the document of a job is answered when the job made none. */
const heldJobErrors = Object.entries(jobErrors).map(
  ([code, { title }]) =>
    [code, { status: 422, when: `${title} (with Prefer: wait and Accept: application/pdf).` }] as const,
);

function pathParameters(path: string): readonly JsonObject[] {
  const names = [...path.matchAll(/:(\w+)/g)].map(([, name]) => name);
  return names.map((name) => ({ name, in: 'path', required: true, schema: { type: 'string' } }));
}

function headerParameters({ isKeyed, headers = {} }: Route): readonly JsonObject[] {
  const key = { description: 'One key makes one result.', schema: { type: 'string', minLength: 1, maxLength: 255 } };
  const described = Object.entries(headers).map(([name, description]) => ({
    ...{ name, in: 'header', required: false },
    ...{ description, schema: { type: 'string' } },
  }));
  return [...(isKeyed ? [{ name: 'Idempotency-Key', in: 'header', required: false, ...key }] : []), ...described];
}
