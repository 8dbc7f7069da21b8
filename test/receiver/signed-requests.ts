import { randomBytes } from 'node:crypto';
import { webhookHeaders, webhookSecret } from '#libs/domain';

/** A request, the secret that its receiver has, and what a receiver has to make of it. */
export interface SignedRequest {
  readonly title: string;
  readonly secret: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Base64. */
  readonly body: string;
  /** `null` when it is to be refused. */
  readonly eventId: string | null;
}

const texts = {
  emoji: '😀 🏳️‍🌈',
  markup: '<>& "quoted" \\',
  slash: 'a/b',
  spaces: 'trailing   ',
  separators: '\u2028\u2029',
  accents: 'é é',
} as const;

/** Requests as the service signs them (`webhookHeaders`), before, during and after the rotation of a secret, and forgeries of them. */
export function signedRequests(unixSeconds: number): readonly SignedRequest[] {
  const secrets = { old: webhookSecret(randomBytes), new: webhookSecret(randomBytes) };
  const phases = {
    before: ['old'],
    during: ['old', 'new'],
    'during, new first': ['new', 'old'],
    after: ['new'],
  } as const;
  const requests = Object.entries(phases).flatMap(([phase, live]) =>
    Object.entries(texts).flatMap(([name, text]) =>
      (['old', 'new'] as const).map((receiver): SignedRequest => {
        const body = bodyWith(`evt_${name}`, text);
        const message = { id: `evt_${name}`, timestamp: unixSeconds, body };
        const isLive = live.some((secret) => secret === receiver);
        return {
          title: `${phase} the rotation, ${name}, the receiver has the ${receiver} secret`,
          secret: secrets[receiver],
          headers: webhookHeaders(
            message,
            live.map((secret) => secrets[secret]),
          ),
          body: base64(body),
          eventId: isLive ? message.id : null,
        };
      }),
    ),
  );
  return [...requests, ...forgeries(unixSeconds, secrets.old)];
}

/** `1.0` is kept by no parser, so it shows who signs the text that was sent. */
function bodyWith(id: string, text: string): string {
  const event = { id, type: 'job.completed', timestamp: '2026-11-30T11:01:37.135Z', data: { text, number: 0 } };
  return JSON.stringify(event).replace('"number":0', '"number": 1.0 ');
}

function forgeries(unixSeconds: number, secret: string): readonly SignedRequest[] {
  const body = bodyWith('evt_forged', 'a');
  const sign = (timestamp: number) => webhookHeaders({ id: 'evt_forged', timestamp, body }, [secret]);
  const headers = sign(unixSeconds);
  const signature = headers['webhook-signature'] ?? '';
  const refused = (title: string, changes: Partial<SignedRequest>): SignedRequest => ({
    title,
    secret,
    headers,
    body: base64(body),
    eventId: null,
    ...changes,
  });
  return [
    refused('another secret', { secret: webhookSecret(randomBytes) }),
    refused('another body', { body: base64(`${body} `) }),
    refused('a body that was parsed and written again', { body: base64(JSON.stringify(JSON.parse(body))) }),
    refused('another id', { headers: { ...headers, 'webhook-id': 'evt_other' } }),
    refused('another timestamp', { headers: { ...headers, 'webhook-timestamp': String(unixSeconds - 1) } }),
    refused('a stale timestamp', { headers: sign(unixSeconds - 360) }),
    refused('a timestamp to come', { headers: sign(unixSeconds + 360) }),
    refused('a truncated signature', { headers: { ...headers, 'webhook-signature': signature.slice(0, -8) } }),
    refused('an empty signature', { headers: { ...headers, 'webhook-signature': 'v1,' } }),
    refused('no signature', { headers: { ...headers, 'webhook-signature': '' } }),
  ];
}

export function base64(text: string | Buffer): string {
  return Buffer.from(text).toString('base64');
}
