import type { Route } from '#libs/contract';
import { applyDecorators, Delete, Get, HttpCode, Patch, Post } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';

const verbs = { GET: Get, POST: Post, PATCH: Patch, DELETE: Delete } as const;

/** Binds a controller's method to the declaration of its route; authentication and keys read the same declaration. */
export function Handles(route: Route): MethodDecorator {
  return applyDecorators(verbs[route.method](route.path), HttpCode(route.answer.status), RouteConfig({ route }));
}
