import { jobErrors, requestErrors, type Route, type RouteName, routes } from '#libs/contract';
import { problemSchema } from '../../libs/contract/src/errors/problem.js';
import type { ApiExchange } from '../support/api-client.js';

/** The declared route that a request goes to. */
export function routeOf(method: string, path: string): RouteName | undefined {
  const [pathname = ''] = path.split('?');
  const entries = Object.entries(routes) as [RouteName, Route][];
  return entries.find(([, route]) => route.method === method && patternOf(route.path).test(pathname))?.[0];
}

/**
 * Holds an answer of the API against the declaration of its route: a success is of the declared shape, anything else a problem document with a
 * code that is declared for it, and nothing is a 5xx.
 *
 * @throws an error that tells what is wrong
 */
export function checkAnswer({ method, path, headers, answer }: ApiExchange): void {
  const name = routeOf(method, path);
  if (name === undefined) return;
  const what = `${method} ${path} -> ${answer.status} ${answer.headers.get('content-type') ?? ''}`;
  const problem = answer.status >= 400 ? problemWith(routes[name], answer) : shapeProblem(name, headers, answer);
  if (problem !== null) throw new Error(`${what}: ${problem}\n${answer.body.subarray(0, 2_000).toString('utf8')}`);
}

function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replace(/:\w+/g, '[^/]+')}$`);
}

function problemWith(route: Route, { status, headers, body }: ApiExchange['answer']): string | null {
  if (!headers.get('content-type')?.startsWith('application/problem+json'))
    return 'an error that is no problem document';
  if (status >= 500) return 'a 5xx';
  const result = problemSchema.safeParse(JSON.parse(body.toString('utf8')));
  if (!result.success) return `no problem document: ${result.error.message}`;
  if (result.data.status !== status) return `the document says ${result.data.status}`;
  if (result.data.request_id !== headers.get('x-request-id')) return 'its request id is not that of the header';
  return codeProblem(route, status, result.data.code);
}

/** A held request whose job failed is told the code of the job. */
function codeProblem(route: Route, status: number, code: string): string | null {
  if (status === 422 && code in jobErrors) return null;
  const declared = route.errors.find((known) => known === code);
  if (declared === undefined) return `the code ${code} is not declared for the route`;
  return requestErrors[declared].status === status ? null : `the code ${code} has another status`;
}

const waiting: readonly RouteName[] = ['createJob', 'createBatch', 'pingEndpoint'];

/** What a success may be besides its declared status: a held request its work or document, a download a part or nothing new. */
function shapeProblem(name: RouteName, sent: ApiExchange['headers'], answer: ApiExchange['answer']): string | null {
  const isHeld = waiting.includes(name) && 'prefer' in sent && answer.status === 200;
  if (isHeld && name === 'createJob' && answer.headers.get('content-type') === 'application/pdf') return null;
  if (name === 'downloadOutput') return [200, 206, 304].includes(answer.status) ? null : 'an undeclared status';
  const declared: Route['answer'] = routes[name].answer;
  if (answer.status !== declared.status && !isHeld) return `declared is ${declared.status}`;
  return bodyProblem(declared.schema, answer);
}

function bodyProblem(schema: Route['answer']['schema'], { headers, body }: ApiExchange['answer']): string | null {
  if (schema === null) return body.length === 0 ? null : 'a body where none is declared';
  if (headers.get('content-type') !== 'application/json; charset=utf-8') return 'not declared as JSON';
  const result = schema.safeParse(JSON.parse(body.toString('utf8')));
  return result.success ? null : `not of the declared shape: ${result.error.message}`;
}
