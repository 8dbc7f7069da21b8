import { endpointEvent, type EndpointTransition } from './endpoint-event.js';
import { longestEventBytes } from './event.js';

const uuid = '0193a5c0-7b1e-7c3d-8a9b-0123456789ab';

const transition = (given: Partial<EndpointTransition>): EndpointTransition => ({
  type: 'endpoint.failing',
  endpointId: uuid,
  url: 'https://hooks.example.com/a',
  state: 'failing',
  reason: null,
  sequence: 3,
  failingSince: new Date(1_000),
  eventId: uuid,
  occurredAt: new Date(2_000),
  ...given,
});

const bodyOf = (given: Partial<EndpointTransition>) =>
  JSON.parse(endpointEvent(transition(given)).body) as { type: string; data: Record<string, unknown> };

describe('endpointEvent', () => {
  it('says what the endpoint is now, since when it fails and which change this is (contract 3.4)', () => {
    expect(bodyOf({})).toMatchObject({
      type: 'endpoint.failing',
      timestamp: '1970-01-01T00:00:02.000Z',
      data: { state: 'failing', reason: null, failing_since: '1970-01-01T00:00:01.000Z', sequence: 3 },
    });
  });

  it('says why an endpoint is disabled', () => {
    const body = bodyOf({ type: 'endpoint.disabled', state: 'disabled', reason: 'requested', failingSince: null });
    expect(body.data).toMatchObject({ state: 'disabled', reason: 'requested', failing_since: null });
  });

  it('shows no user name and no password of the URL, and stays below the limit of an event', () => {
    const url = `https://user:pass@hooks.example.com/${'é'.repeat(1_900)}`;
    const { body } = endpointEvent(transition({ url }));
    expect(body).not.toContain('pass@');
    expect(Buffer.byteLength(body)).toBeLessThan(longestEventBytes);
  });
});
