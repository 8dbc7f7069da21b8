import { pathOf, withQuery } from './path.js';

describe('a path', () => {
  it('has its segments escaped', () => {
    expect(pathOf('jobs', 'job_1', 'outputs', 0)).toBe('/v1/jobs/job_1/outputs/0');
    expect(pathOf('jobs', '../api-keys?x#y')).toBe('/v1/jobs/..%2Fapi-keys%3Fx%23y');
  });

  it.each(['', '.', '..'])('never has the segment %p', (id) => {
    expect(() => pathOf('jobs', id)).toThrow(TypeError);
  });

  it('has a query of what is given', () => {
    expect(withQuery('/v1/jobs', { state: 'failed', limit: 5, cursor: undefined, idempotency_key: 'a b&c' })).toBe(
      '/v1/jobs?state=failed&limit=5&idempotency_key=a+b%26c',
    );
    expect(withQuery('/v1/jobs', { cursor: undefined })).toBe('/v1/jobs');
  });
});
