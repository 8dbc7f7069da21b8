import { documentMediaType, readUrl } from '#libs/domain';
import { AddressRefused, type GuardedAgent } from '#libs/egress';
import { abortWith, type LinkedAbort } from './abort-with.js';
import { AnswerUnfit, FetchFailed } from './fetch-failed.js';
import { fetchedName } from './fetched-name.js';

/** With what a URL is opened. */
export interface OpenUrlOptions {
  readonly agent: GuardedAgent;
  readonly userAgent: string;
  /** The longest silence of the server, in milliseconds. */
  readonly idleMs: number;
  /** Ends the request and the reading of its answer. */
  readonly signal: AbortSignal;
}

/** A document whose bytes are on their way. Who opened it closes it, whether its body was read or not. */
export interface OpenedUrl {
  readonly body: AsyncIterable<Uint8Array>;
  readonly name: string;
  readonly mediaType: string;
  /** As the server announces it, in bytes. */
  readonly length: number | null;
  close(): void;
}

type Answer = Awaited<ReturnType<GuardedAgent['request']>>;
type Body = Answer['body'];

const mostRedirects = 5;
const mostInterimAnswers = 16;
const redirects: readonly number[] = [301, 302, 303, 307, 308];
const passingStatuses: readonly number[] = [408, 425, 429];

/**
 * Asks for a document and follows redirects, each of which the agent vets like the first. Nothing of one request goes along with the next: no
 * credentials, no cookies.
 *
 * @throws FetchFailed whose cause is AddressRefused, AnswerUnfit or an error of the network
 */
export async function openUrl(text: string, options: OpenUrlOptions): Promise<OpenedUrl> {
  const abort = abortWith(options.signal);
  try {
    return await follow(text, options, abort);
  } catch (error) {
    abort.release();
    throw error;
  }
}

async function follow(text: string, options: OpenUrlOptions, abort: LinkedAbort): Promise<OpenedUrl> {
  let url = new URL(text);
  for (let followed = 0; ; followed += 1) {
    try {
      const answer = await ask(url, options, abort);
      if (!redirects.includes(answer.statusCode)) return opened(answer, text, abort);
      discard(answer.body);
      if (followed === mostRedirects) throw new AnswerUnfit(`redirects more than ${mostRedirects} times`);
      url = targetOf(answer, url);
    } catch (error) {
      throw new FetchFailed(error instanceof Error ? error : new Error(String(error)), followed);
    }
  }
}

async function ask(url: URL, { agent, userAgent, idleMs }: OpenUrlOptions, abort: LinkedAbort): Promise<Answer> {
  if (!['http:', 'https:'].includes(url.protocol)) throw new AddressRefused({ kind: 'refused', reason: 'scheme' });
  let interimAnswers = 0;
  return agent.request({
    origin: url.origin,
    path: url.pathname + url.search,
    method: 'GET',
    headers: { 'user-agent': userAgent, accept: '*/*', 'accept-encoding': 'identity' },
    headersTimeout: idleMs,
    bodyTimeout: idleMs,
    signal: abort.signal,
    onInfo: () => {
      interimAnswers += 1;
      if (interimAnswers > mostInterimAnswers)
        abort.abort(new AnswerUnfit('sends interim answers without an end', true));
    },
  });
}

function opened({ statusCode, headers, body }: Answer, url: string, abort: LinkedAbort): OpenedUrl {
  const problem = problemOf(statusCode, textOf(headers['content-encoding']));
  if (problem !== null) {
    discard(body);
    throw problem;
  }
  const length = textOf(headers['content-length']);
  return {
    body,
    name: fetchedName(textOf(headers['content-disposition']), url),
    mediaType: documentMediaType(textOf(headers['content-type']) ?? ''),
    length: length === null ? null : Number(length),
    close: () => {
      abort.release();
      discard(body);
    },
  };
}

function problemOf(statusCode: number, encoding: string | null): AnswerUnfit | null {
  if (statusCode !== 200)
    return new AnswerUnfit(`answers ${statusCode}`, statusCode >= 500 || passingStatuses.includes(statusCode));
  const isEncoded = encoding !== null && encoding.trim().toLowerCase() !== 'identity';
  return isEncoded ? new AnswerUnfit('answers with a Content-Encoding, which was not asked for') : null;
}

function targetOf({ statusCode, headers }: Answer, url: URL): URL {
  const location = textOf(headers['location']);
  const target = location === null ? null : readUrl(location, url.href);
  if (target === null) throw new AnswerUnfit(`answers ${statusCode} to no place`);
  return target;
}

function textOf(header: string | string[] | undefined): string | null {
  return typeof header === 'string' ? header : null;
}

/** Ends the connection rather than read what nobody needs. */
function discard(body: Body): void {
  body.on('error', () => undefined).destroy();
}
