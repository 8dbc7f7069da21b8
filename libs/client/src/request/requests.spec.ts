import { manualClock } from '../../../../test/client/manual-clock.js';
import type { Fetch } from '../client-options.js';
import { usualLimits } from '../client-options.js';
import { Requests } from './requests.js';
import { SendRequest } from './send-request.js';

describe('a request', () => {
  function scripted(...steps: readonly (() => Response)[]) {
    const keys: (string | null)[] = [];
    const fetch: Fetch = async (_, init) => {
      const step = steps[keys.push(new Headers(init.headers).get('idempotency-key')) - 1];
      if (step === undefined) throw new Error('the script is over');
      return step();
    };
    const sending = new SendRequest({ url: 'http://service', apiKey: 'a', fetch }, manualClock());
    return { keys, requests: new Requests(sending, usualLimits) };
  }
  const dropped = () => {
    throw new TypeError('fetch failed');
  };
  const notFound = () => Response.json({ code: 'not_found', title: 'Not found' }, { status: 404 });

  it('that writes has a key from before its first attempt, the same on each', async () => {
    const { keys, requests } = scripted(dropped, dropped, () => Response.json({ id: 'job_1' }));
    const { idempotencyKey, attempts } = await requests.post('/v1/jobs', null);
    expect(keys).toEqual([idempotencyKey, idempotencyKey, idempotencyKey]);
    expect(attempts).toBe(3);
  });

  it('that writes has another key the next time', async () => {
    const { keys, requests } = scripted(
      () => Response.json({}),
      () => Response.json({}),
    );
    await requests.post('/v1/jobs', null);
    await requests.post('/v1/jobs', null);
    expect(new Set(keys).size).toBe(2);
  });

  it('that deletes has done so when nothing is found after a lost answer', async () => {
    const { requests } = scripted(dropped, notFound);
    await expect(requests.delete('/v1/files/file_1')).resolves.toBeUndefined();
  });

  it('that deletes is refused when there was nothing at first', async () => {
    const { requests } = scripted(notFound);
    await expect(requests.delete('/v1/files/file_1')).rejects.toMatchObject({ code: 'not_found', attempts: 1 });
  });

  it('that reads has no key', async () => {
    const { keys, requests } = scripted(() => Response.json({ id: 'job_1' }));
    expect(await requests.get('/v1/jobs/job_1')).toEqual({ id: 'job_1' });
    expect(keys).toEqual([null]);
  });
});
