import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { verifyEvent } from '#libs/receiver';
import { Webhook } from 'standardwebhooks';
import { ApiClient } from '../support/api-client.js';
import { Cluster } from '../support/cluster.js';
import { eventually } from '../support/eventually.js';
import { samplePdf } from '../support/pdf-samples.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';
import { type ForeignVerifier, foreignVerifiers } from './foreign-verifiers.js';
import { base64, type SignedRequest, signedRequests } from './signed-requests.js';

type Ids = readonly (string | null)[];

/** What each request is found to be by a function that gives its event or throws. */
function idsBy(requests: readonly SignedRequest[], verify: (request: SignedRequest, body: Buffer) => unknown): Ids {
  return requests.map((request) => {
    try {
      return (verify(request, Buffer.from(request.body, 'base64')) as { id: string }).id;
    } catch {
      return null;
    }
  });
}

describe('the signatures of the service', () => {
  let directory: string;
  let requests: readonly SignedRequest[];
  let foreign: Readonly<Record<'Python' | 'Go', ForeignVerifier>>;
  let file: string;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'pdfonce-foreign-'));
    foreign = await foreignVerifiers(directory);
    requests = [await recordedRequest(), ...signedRequests(Math.floor(Date.now() / 1000))];
    file = join(directory, 'requests.json');
    await writeFile(file, JSON.stringify(requests));
  }, 300_000);

  afterAll(async () => {
    if (directory !== undefined) await rm(directory, { recursive: true, force: true });
  });

  const verifiers = {
    '@pdfonce/receiver': () =>
      idsBy(requests, ({ secret, headers }, rawBody) => verifyEvent({ headers, rawBody }, { secrets: secret })),
    'standardwebhooks of npm': () =>
      idsBy(requests, ({ secret, headers }, body) => new Webhook(secret).verify(body, headers)),
    'standardwebhooks of PyPI': () => foreign.Python(file),
    'standard-webhooks of Go': () => foreign.Go(file),
  };

  it.each(Object.entries(verifiers))(
    'are verified by %s before, during and after a rotation, as the service sent them and as forged (contract 4.1, 4.2)',
    async (_, verify) => {
      const ids = await verify();
      expect(requests.map(({ title }, index) => [title, ids[index]])).toEqual(
        requests.map(({ title, eventId }) => [title, eventId]),
      );
    },
    60_000,
  );
});

/** What the service itself sent to a receiver. */
async function recordedRequest(): Promise<SignedRequest> {
  const [cluster, receiver] = await Promise.all([Cluster.start(), WebhookReceiver.open()]);
  try {
    const client = new ApiClient(cluster.apiUrls[0] ?? '', await cluster.createKey('shop'));
    const { secret } = (await client.createEndpoint({ url: receiver.url })).json<{ secret: string }>();
    const metadata = { note: '😀 <>& a/b 1.0 é trailing   ' };
    await client.submitFiles([{ name: 'a.pdf', bytes: await samplePdf([100]) }], { metadata });
    const sent = await eventually(() => receiver.received()[0], { withinMs: 20_000, describe: 'the webhook' });
    if (sent === undefined) throw new Error('no webhook');
    const headers = Object.fromEntries(
      Object.entries(sent.headers).filter((entry): entry is [string, string] => entry[0].startsWith('webhook-')),
    );
    expect(sent.body.toString()).toContain(metadata.note);
    return {
      title: 'sent by the service',
      secret,
      headers,
      body: base64(sent.body),
      eventId: headers['webhook-id'] ?? '',
    };
  } finally {
    await receiver.close();
    await cluster.stop();
  }
}
