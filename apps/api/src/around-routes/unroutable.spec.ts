import { unroutable } from './unroutable.js';

describe('a request that no route takes', () => {
  it.each([
    ['/v1/jobs', 'POST, GET, HEAD, OPTIONS'],
    ['/v1/jobs/job_1?x=y', 'GET, HEAD, OPTIONS'],
    ['/v1/webhook-endpoints/ep_1', 'GET, HEAD, PATCH, DELETE, OPTIONS'],
    ['/v1/files', 'POST, OPTIONS'],
    ['/readyz', 'GET, HEAD, OPTIONS'],
  ])('is told the methods of %s', (url, allow) => {
    expect(unroutable('PUT', url)).toMatchObject({
      code: 'method_not_allowed',
      status: 405,
      extra: { headers: { allow } },
    });
  });

  it.each(['/v1', '/v1/jobs/', '/v1/jobs/a/b', '/v2/jobs'])('is told that %s names nothing', (url) => {
    expect(unroutable('GET', url)).toMatchObject({ code: 'not_found', status: 404 });
  });
});
