import { aboutRoutes, RequestRefused, type Route, routes } from '#libs/contract';

/** Every path with the method that is declared for it. */
const declared = [...Object.values<Pick<Route, 'method' | 'path'>>(routes), ...Object.values(aboutRoutes)].map(
  ({ method, path }) => ({ method, pattern: new RegExp(`^${path.replace(/:\w+/g, '[^/]+')}$`) }),
);

/** The refusal of a request that no route takes: of its method where the path is declared with another one, otherwise of its path. */
export function unroutable(method: string, url: string): RequestRefused {
  const path = url.split('?')[0] ?? '';
  const allowed = declared.filter(({ pattern }) => pattern.test(path)).flatMap((route) => withHead(route.method));
  if (allowed.length === 0) return new RequestRefused('not_found', 'this path names nothing');
  const allow = [...allowed, 'OPTIONS'].join(', ');
  return new RequestRefused('method_not_allowed', `this path does not take ${method}; it takes ${allow}`, {
    headers: { allow },
  });
}

function withHead(method: string): readonly string[] {
  return method === 'GET' ? ['GET', 'HEAD'] : [method];
}
