import { randomBytes } from 'node:crypto';
import { webhookHeaders, webhookSecret } from '#libs/domain';
import { Webhook } from 'standardwebhooks';
import { VerificationError, type VerificationReason } from './verification-error.js';
import { type Verification, verifyEvent } from './verify-event.js';

const nowMs = 1_796_036_497_400;
const timestamp = 1_796_036_497;
const [secret, other] = [webhookSecret(randomBytes), webhookSecret(randomBytes)];
const event = { id: 'evt_1', type: 'job.completed', timestamp: '2026-11-30T11:01:37.135Z', data: { id: 'job_1' } };
const body = JSON.stringify(event);

function signed(changes: { id?: string; timestamp?: number; body?: string; secrets?: readonly string[] } = {}) {
  const message = { id: 'evt_1', timestamp, body, ...changes };
  return webhookHeaders(message, changes.secrets ?? [secret]);
}

function verify(headers: object, rawBody: Uint8Array | string = body, verification: Partial<Verification> = {}) {
  return verifyEvent(
    { headers: headers as Record<string, string>, rawBody },
    { secrets: secret, nowMs, ...verification },
  );
}

function reasonOf(...args: Parameters<typeof verify>): VerificationReason | 'verified' {
  try {
    verify(...args);
    return 'verified';
  } catch (error) {
    if (error instanceof VerificationError) return error.reason;
    throw error;
  }
}

describe('verifyEvent', () => {
  it('gives the event of a request that the service signed, whatever way its headers and body are held', () => {
    const headers = signed();
    const upper = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value]));
    for (const each of [headers, upper, new Headers(headers)]) {
      expect(verify(each)).toEqual(event);
      expect(verify(each, Buffer.from(body))).toEqual(event);
      expect(verify(each, new TextEncoder().encode(body))).toEqual(event);
    }
  });

  it('takes the secret as the API shows it, and without its prefix', () => {
    expect(verify(signed(), body, { secrets: secret.slice('whsec_'.length) })).toEqual(event);
  });

  it.each(['emoji 😀', '<>&', 'a/b', '1.0', 'trailing spaces   ', '\u2028', 'é é'])(
    'verifies a body that holds %j, and none that was parsed and written again with other spaces (contract 4.2)',
    (text) => {
      const sent = JSON.stringify({ ...event, data: { text, number: 0 } }).replace('"number":0', '"number": 1.0');
      expect(verify(signed({ body: sent }), sent)).toEqual(JSON.parse(sent));
      expect(reasonOf(signed({ body: sent }), JSON.stringify(JSON.parse(sent)))).toBe('no_matching_signature');
    },
  );

  it('takes any of several signatures under any of several secrets, in whatever order (contract 4.1, 4.2)', () => {
    for (const secrets of [
      [secret, other],
      [other, secret],
    ]) {
      const headers = signed({ secrets });
      expect(headers['webhook-signature']?.split(' ')).toHaveLength(2);
      for (const own of [secret, other, [other, webhookSecret(randomBytes)], [webhookSecret(randomBytes), secret]])
        expect(verify(headers, body, { secrets: own })).toEqual(event);
    }
    expect(reasonOf(signed({ secrets: [other] }))).toBe('no_matching_signature');
  });

  it('passes over signatures of versions that it does not know', () => {
    const headers = signed();
    const signature = headers['webhook-signature'] ?? '';
    expect(reasonOf({ ...headers, 'webhook-signature': `v1a,${'A'.repeat(86)}== ${signature}` })).toBe('verified');
    expect(reasonOf({ ...headers, 'webhook-signature': signature.replace('v1,', 'v1a,') })).toBe(
      'no_matching_signature',
    );
    expect(reasonOf({ ...headers, 'webhook-signature': signature.replace('v1,', 'v2,') })).toBe(
      'no_matching_signature',
    );
  });

  const malformed: readonly [string, (signature: string) => string][] = [
    ['truncated by a character', (signature) => signature.slice(0, -1)],
    ['truncated to its beginning', (signature) => signature.slice(0, 10)],
    ['without its base64', () => 'v1,'],
    ['empty but for spaces', () => '  '],
    ['longer by a character', (signature) => `${signature}A`],
    ['sent twice without a space', (signature) => signature + signature],
    ['without its version', (signature) => signature.slice('v1,'.length)],
    ['in hex', () => `v1,${'ab'.repeat(32)}`],
    ['with another alphabet', (signature) => signature.replace(/.$/, '-')],
  ];

  it.each(malformed)('refuses a signature that is %s as malformed', (_, change) => {
    const headers = signed();
    expect(reasonOf({ ...headers, 'webhook-signature': change(headers['webhook-signature'] ?? '') })).toBe(
      'malformed_signature',
    );
  });

  it('refuses a signature with the spare bits of its base64 changed: one signature has one text', () => {
    const headers = signed();
    const signature = headers['webhook-signature'] ?? '';
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
    const last = alphabet[alphabet.indexOf(signature.at(-2) ?? '') + 1] ?? '';
    const changed = `${signature.slice(0, -2)}${last}=`;
    expect(Buffer.from(changed.slice(3), 'base64')).toEqual(Buffer.from(signature.slice(3), 'base64'));
    expect(reasonOf({ ...headers, 'webhook-signature': changed })).toBe('no_matching_signature');
  });

  it.each(['webhook-id', 'webhook-timestamp', 'webhook-signature'])(
    'refuses a request without %s, or with two',
    (name) => {
      const headers: Record<string, unknown> = signed();
      expect(reasonOf({ ...headers, [name]: undefined })).toBe('missing_header');
      expect(reasonOf({ ...headers, [name]: '' })).toBe('missing_header');
      expect(reasonOf({ ...headers, [name]: [headers[name], headers[name]] })).toBe('missing_header');
    },
  );

  it.each(['soon', '1.5', '-1', '1e9', ' 1796036497', '01796036497', '9'.repeat(13)])(
    'refuses %j as a timestamp',
    (value) => {
      expect(reasonOf({ ...signed(), 'webhook-timestamp': value })).toBe('malformed_timestamp');
    },
  );

  it.each([
    [-301, 'timestamp_too_old'],
    [-300, 'verified'],
    [300, 'verified'],
    [301, 'timestamp_too_new'],
  ])('of an attempt %i s from now says %s', (seconds, reason) => {
    expect(reasonOf(signed({ timestamp: timestamp + seconds }))).toBe(reason);
  });

  it('takes another tolerance', () => {
    expect(reasonOf(signed({ timestamp: timestamp - 11 }), body, { toleranceMs: 10_000 })).toBe('timestamp_too_old');
    expect(reasonOf(signed({ timestamp: timestamp - 900 }), body, { toleranceMs: 900_000 })).toBe('verified');
  });

  it('looks at the signature first: what was changed is not old but forged', () => {
    expect(reasonOf({ ...signed(), 'webhook-timestamp': String(timestamp - 900) })).toBe('no_matching_signature');
    expect(reasonOf({ ...signed(), 'webhook-id': 'evt_2' })).toBe('no_matching_signature');
    expect(reasonOf(signed(), `${body} `)).toBe('no_matching_signature');
    expect(reasonOf(signed(), 'no json')).toBe('no_matching_signature');
  });

  it.each([
    ['no json', 'body_not_json'],
    ['', 'body_not_json'],
    ['\ufeff{}', 'body_not_json'],
    ['null', 'body_not_event'],
    ['[]', 'body_not_event'],
    ['{"id":"evt_1"}', 'body_not_event'],
    [JSON.stringify({ ...event, id: 'evt_2' }), 'body_id_differs'],
  ])('refuses the signed body %j: %s', (sent, reason) => {
    expect(reasonOf(signed({ body: sent }), sent)).toBe(reason);
  });

  it('refuses bytes that are not UTF-8 instead of reading them as something else', () => {
    const bytes = Buffer.concat([Buffer.from('{"id":"'), Buffer.from([0xff]), Buffer.from('"}')]);
    const forString = new Webhook(secret).sign('evt_1', new Date(timestamp * 1000), bytes.toString());
    expect(reasonOf({ ...signed(), 'webhook-signature': forString }, bytes)).toBe('no_matching_signature');
  });

  it('gives the events of types that came after this version', () => {
    const later = JSON.stringify({ ...event, type: 'page.counted' });
    expect(verify(signed({ body: later }), later).type).toBe('page.counted');
  });

  it('throws at a program that gives it a parsed body or something that is no secret, without showing the secret', () => {
    expect(() => verify(signed(), event as unknown as string)).toThrow(/before its body is parsed/);
    for (const secrets of ['', [], 'whsec_', 'whsec_c2hvcnQ=', 'whsec_not base64!', `${secret}\n`, 'x'.repeat(200)])
      expect(() => verify(signed(), body, { secrets })).toThrow(TypeError);
    expect(() => verify(signed(), body, { secrets: 'whsec_c2hvcnQ=' })).toThrow(/^((?!c2hv).)*$/);
  });

  it('answers 401 where the signature is not right and 400 otherwise', () => {
    expect(new VerificationError('no_matching_signature', '').status).toBe(401);
    expect(new VerificationError('timestamp_too_old', '').status).toBe(400);
  });
});
