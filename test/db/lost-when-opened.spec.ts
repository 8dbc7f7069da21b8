import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server } from 'node:net';
import { Database, isUnavailable, statement } from '#libs/persistence';
import { startTestPostgres, type TestPostgres } from '../support/postgres.js';

const one = statement('select-one', 'SELECT 1 AS one');

/** ReadyForQuery, idle. */
const ready = Buffer.from([0x5a, 0, 0, 0, 5, 0x49]);
/** ErrorResponse, as Postgres sends it to a session that it ends. */
const fields = ['SFATAL', 'VFATAL', 'C57P01', 'Mterminating connection due to administrator command', ''];
const fatal = Buffer.from(`E....${fields.map((field) => `${field}\0`).join('')}`);
fatal.writeInt32BE(fatal.length - 1, 1);

let postgres: TestPostgres;
let server: Server;
let database: Database;
let isEnding = true;

beforeAll(async () => {
  postgres = await startTestPostgres();
  const url = new URL(await postgres.createDatabase());
  const { hostname, port } = url;
  server = createServer((client) => {
    const upstream = connect(Number(port), hostname);
    const close = (): void => {
      client.destroy();
      upstream.destroy();
    };
    client.on('error', close).on('close', close).pipe(upstream);
    upstream.on('error', close).on('close', close);
    upstream.on('data', (answer: Buffer) => {
      if (isEnding && answer.includes(ready)) client.end(Buffer.concat([answer, fatal]));
      else client.write(answer);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  url.port = String((server.address() as AddressInfo).port);
  database = new Database({ url: url.href, purpose: 'work', poolSize: 1 });
}, 60_000);

afterAll(async () => {
  await database.close();
  server.close();
  await postgres.stop();
});

describe('a connection that Postgres ends as soon as it is open', () => {
  it('fails the transaction alone: the process goes on, and the next one gets another connection (contract 1.12)', async () => {
    const lost = await database.transaction((tx) => tx.query(one)).catch((error: unknown) => error);
    expect(lost).toBeInstanceOf(Error);
    expect(isUnavailable(lost)).toBe(true);
    isEnding = false;
    await expect(database.transaction((tx) => tx.query(one))).resolves.toEqual([{ one: 1 }]);
  });
});
