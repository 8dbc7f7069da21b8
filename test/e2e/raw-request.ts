import { connect, type Socket } from 'node:net';

/** What a client puts on the wire when no library stands in its way. */
export interface RawRequest {
  readonly method?: string;
  readonly path: string;
  /** By name, or in order, where one may come twice. */
  readonly headers: Readonly<Record<string, string>> | readonly (readonly [name: string, value: string])[];
  readonly body: string | Buffer;
}

const answerWithinMs = 15_000;

/** Opens a connection and writes a request as given, well-formed or not; the connection stays open. */
export async function sendRaw(url: string, request: RawRequest): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  await new Promise<void>((resolve, reject) => socket.once('error', reject).once('connect', resolve));
  socket.on('error', () => undefined);
  const given = Array.isArray(request.headers) ? request.headers : Object.entries(request.headers);
  const lines = [['host', hostname] as const, ...(given as readonly (readonly [string, string])[])].map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  socket.write(`${request.method ?? 'POST'} ${request.path} HTTP/1.1\r\n${lines.join('')}\r\n`);
  socket.write(request.body);
  return socket;
}

/** The status and the JSON body of the answer on a connection; the connection is ended. */
export async function readRaw(
  socket: Socket,
): Promise<{ readonly status: number; readonly json: Record<string, unknown> }> {
  let text = '';
  socket.setTimeout(answerWithinMs, () => socket.destroy());
  for await (const chunk of socket) {
    text += (chunk as Buffer).toString('utf8');
    const [head = '', body] = text.split('\r\n\r\n');
    const status = Number(head.split(' ')[1]);
    const length = status === 204 ? 0 : Number(/content-length: (\d+)/i.exec(head)?.[1] ?? Number.NaN);
    if (body === undefined || Buffer.byteLength(body) < length) continue;
    socket.destroy();
    return { status, json: JSON.parse(body || 'null') as Record<string, unknown> };
  }
  throw new Error(`the connection ended without a whole answer: ${text}`);
}
