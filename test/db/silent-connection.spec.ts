import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { Database, isUnavailable, statement } from '#libs/persistence';
import { startTestPostgres, type TestPostgres } from '../support/postgres.js';

const one = statement('select-one', 'SELECT 1 AS one');

let postgres: TestPostgres;
let proxy: Server;
let database: Database;
const sockets: Socket[] = [];

beforeAll(async () => {
  postgres = await startTestPostgres();
  const url = new URL(await postgres.createDatabase());
  const target = { host: url.hostname, port: Number(url.port) };
  proxy = createServer((socket) => {
    const server = connect(target);
    sockets.push(socket, server);
    for (const end of [socket, server]) end.on('error', () => undefined);
    socket.pipe(server).pipe(socket);
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  url.port = String((proxy.address() as AddressInfo).port);
  url.hostname = '127.0.0.1';
  database = new Database({ url: url.href, purpose: 'rate-limit', poolSize: 1 });
}, 60_000);

afterAll(async () => {
  await database.close();
  for (const socket of sockets) socket.destroy();
  proxy.close();
  await postgres.stop();
});

describe('a connection that goes silent', () => {
  it('is given up a little after the longest time of a statement, and replaced', async () => {
    await database.query(one);
    for (const socket of sockets) socket.unpipe();
    const error: unknown = await database.query(one).catch((lost: unknown) => lost);
    expect(isUnavailable(error)).toBe(true);
    expect(await database.query(one)).toEqual([{ one: 1 }]);
  }, 15_000);
});
