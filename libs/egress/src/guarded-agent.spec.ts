import { createServer, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { AddressAllowList, AddressGuard } from '#libs/domain';
import { eventually } from '../../../test/support/eventually.js';
import { AddressRefused } from './address-refused.js';
import { GuardedAgent } from './guarded-agent.js';
import type { ResolveHost } from './resolve-host.js';

const guard = new AddressGuard(AddressAllowList.parse(['127.0.0.1']));
const toLoopback: ResolveHost = async () => [{ address: '127.0.0.1', family: 4 }];

let server: Server;
let openSockets: ReadonlySet<Socket>;
let requests: number;
const agents: GuardedAgent[] = [];

beforeEach(async () => {
  const sockets = new Set<Socket>();
  openSockets = sockets;
  requests = 0;
  server = createServer((_, response) => {
    requests += 1;
    response.end('ok');
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});

afterEach(async () => {
  await Promise.all(agents.splice(0).map((agent) => agent.destroy()));
  await new Promise((resolve) => server.close(resolve));
});

function open(resolve: ResolveHost = toLoopback, mostOrigins = 1_000): GuardedAgent {
  const agent = new GuardedAgent({ guard, resolve, mostOrigins });
  agents.push(agent);
  return agent;
}

async function get(agent: GuardedAgent, host: string): Promise<number> {
  const { port } = server.address() as AddressInfo;
  const answer = await agent.request({ origin: `http://${host}:${port}`, path: '/', method: 'GET' });
  await answer.body.dump();
  return answer.statusCode;
}

describe('a guarded agent', () => {
  it('keeps connections to as many origins as it may, and closes those used longest ago', async () => {
    const agent = open(toLoopback, 20);
    for (let index = 0; index < 2_000; index += 1) expect(await get(agent, `h${index}.test`)).toBe(200);
    expect(agent.origins).toBe(20);
    expect(openSockets.size).toBeLessThanOrEqual(25);
    expect(requests).toBe(2_000);
  });

  it('keeps nothing of an origin that could not be reached', async () => {
    const agent = open(async () => Promise.reject(Object.assign(new Error('no such name'), { code: 'ENOTFOUND' })));
    for (let index = 0; index < 100; index += 1)
      await expect(get(agent, `h${index}.test`)).rejects.toThrow('no such name');
    await new Promise((resolve) => setImmediate(resolve));
    expect(agent.origins).toBe(0);
  });

  it('ends the connection of a request that is aborted, and makes no other for it', async () => {
    server.removeAllListeners('request');
    server.on('request', (_, response) => void response.write('begun'));
    let made = 0;
    server.on('connection', () => (made += 1));
    const agent = open();
    const { port } = server.address() as AddressInfo;
    const request = { origin: `http://127.0.0.1:${port}`, path: '/', method: 'GET' } as const;
    for (let index = 1; index <= 3; index += 1) {
      const [one, other] = await Promise.all([agent.request(request), agent.request(request)]);
      one.body.on('error', () => undefined).destroy();
      await eventually(() => openSockets.size === 1);
      other.body.on('error', () => undefined).destroy();
      await eventually(() => openSockets.size === 0 && agent.origins === 0);
      expect(made).toBe(2 * index);
    }
  });

  it('connects to the address that was vetted, and asks again before it connects anew: a rebound name is refused', async () => {
    const answers = ['127.0.0.1', '10.0.0.1'];
    let asked = 0;
    const agent = open(async () => [{ address: answers[asked++] ?? '', family: 4 }]);
    expect(await get(agent, 'rebinding.test')).toBe(200);
    await agent.close();
    await expect(get(agent, 'rebinding.test')).rejects.toThrow(AddressRefused);
    expect(asked).toBe(2);
    expect(requests).toBe(1);
  });

  it('refuses a name of which one address is refused, whatever the others are', async () => {
    const mixed: ResolveHost = async () => ['127.0.0.1', '192.168.0.1'].map((address) => ({ address, family: 4 }));
    await expect(get(open(mixed), 'mixed.test')).rejects.toThrow('address: private');
    expect(requests).toBe(0);
  });

  it('refuses an address as it is written without asking a resolver', async () => {
    const never: ResolveHost = async () => Promise.reject(new Error('asked'));
    const request = { origin: 'http://169.254.169.254', path: '/', method: 'GET' } as const;
    await expect(open(never).request(request)).rejects.toThrow('address: metadata');
  });
});
