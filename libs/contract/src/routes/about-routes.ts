import type { z } from 'zod';
import { readinessSchema } from '../resources/readiness.js';

/** The routes on which the service tells of itself; they need no API key. */
export const aboutRoutes = {
  readHealth: {
    method: 'GET',
    path: '/healthz',
    summary: 'Whether the process lives',
    answers: { 200: ['It lives', 'application/json'] },
  },
  readReadiness: {
    method: 'GET',
    path: '/readyz',
    summary: 'Whether the process can work, and what it reaches',
    answers: { 200: ['It can work', 'application/json'], 503: ['It cannot work', 'application/json'] },
    schema: readinessSchema,
  },
  readMetrics: {
    method: 'GET',
    path: '/metrics',
    summary: 'Metrics in the text format of Prometheus',
    answers: { 200: ['Metrics', 'text/plain'] },
  },
  readOpenApi: {
    method: 'GET',
    path: '/openapi.json',
    summary: 'This document',
    answers: { 200: ['An OpenAPI 3.1 document', 'application/json'] },
  },
  readAsyncApi: {
    method: 'GET',
    path: '/asyncapi.json',
    summary: 'The records of the Kafka topics',
    answers: { 200: ['An AsyncAPI 3.0 document', 'application/json'] },
  },
  readDocs: {
    method: 'GET',
    path: '/docs',
    summary: 'Where the documentation is, and every error code',
    answers: { 200: ['A page of links', 'text/html'] },
  },
  readError: {
    method: 'GET',
    path: '/docs/errors/:code',
    summary: 'What an error code means, and what to do',
    answers: {
      200: ['The row of the code, or a page of it for who prefers HTML', 'application/json', 'text/html'],
      404: ['There is no such code', 'application/problem+json'],
    },
  },
} as const satisfies Readonly<Record<string, AboutRoute>>;

/** A route that tells of the service itself. */
export interface AboutRoute {
  readonly method: 'GET';
  readonly path: string;
  readonly summary: string;
  /** Description and media types by status. */
  readonly answers: Readonly<Record<number, readonly [description: string, ...mediaTypes: string[]]>>;
  /** Of what is answered in JSON, if it is always the same. */
  readonly schema?: z.ZodType;
}
