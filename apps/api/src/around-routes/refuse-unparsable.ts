import { type Problem, problemOf, RequestRefused } from '#libs/contract';
import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';

/** The refusal of bytes that are no request (the codes of Node's parser). */
function refusalOf({ code }: NodeJS.ErrnoException): RequestRefused {
  if (code === 'HPE_HEADER_OVERFLOW')
    return new RequestRefused('headers_too_large', 'the request line and the headers may have 16 kB');
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return new RequestRefused('request_timeout', 'the headers did not arrive in time');
  return new RequestRefused('invalid_request', 'the bytes are no HTTP request');
}

/** Answers what is no HTTP request with a problem document, and ends the connection: nothing behind it can be read. */
export function refuseUnparsable(requestId: () => string): (error: NodeJS.ErrnoException, socket: Socket) => void {
  return (error, socket) => {
    if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
    const problem = problemOf(refusalOf(error), requestId());
    const body = JSON.stringify(problem);
    const head = [
      `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status] ?? ''}`,
      ...Object.entries(headersOf(problem, body)).map(([name, value]) => `${name}: ${value}`),
      'connection: close',
    ];
    socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
  };
}

/** Answers an `Expect` that is not `100-continue` (RFC 9110, section 10.1.1) with a problem document. */
export function refuseExpectations(server: Server, requestId: () => string): void {
  server.on('checkExpectation', (_request: IncomingMessage, response: ServerResponse) => {
    const refusal = new RequestRefused('expectation_failed', 'the only expectation that can be met is 100-continue');
    const problem = problemOf(refusal, requestId());
    const body = JSON.stringify(problem);
    response.writeHead(problem.status, { ...headersOf(problem, body), connection: 'close' }).end(body);
  });
}

function headersOf(problem: Problem, body: string): Readonly<Record<string, string>> {
  return {
    'content-type': 'application/problem+json',
    'content-length': String(Buffer.byteLength(body)),
    'cache-control': 'no-store',
    'x-request-id': problem.request_id,
  };
}
