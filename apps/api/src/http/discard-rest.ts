import type { IncomingMessage, ServerResponse } from 'node:http';
import { finished } from 'node:stream';

const longestDiscardMs = 10_000;

/**
 * Reads what a refused client still sends, for a while: one that sends before it reads would otherwise meet a closed connection instead of its
 * answer. The connection is kept until then, also when the client asked for its end.
 */
export function discardRest(request: IncomingMessage, response: ServerResponse): void {
  if (request.complete || response.headersSent) return;
  response.shouldKeepAlive = true;
  const cutOff = setTimeout(() => request.destroy(), longestDiscardMs).unref();
  finished(request, { writable: false }, () => clearTimeout(cutOff));
  request.resume();
}
