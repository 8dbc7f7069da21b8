import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { createServer, type Server } from 'node:net';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DocumentChild } from '../document-child.js';
import { type Confinement, findConfinement, missingFrom, unconfined } from './confinement.js';

let directory: string;
let server: Server;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'confinement-'));
  server = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1');
  await once(server, 'listening');
});

afterAll(async () => {
  server.close();
  await rm(directory, { recursive: true });
});

/** What a child prints that runs this code. */
async function printed(confinement: Confinement, code: string): Promise<string | undefined> {
  const entry = join(directory, 'child.mjs');
  await writeFile(entry, code);
  const bounds = { memoryBytes: 2 ** 28, maxFileBytes: 1_000, lifetimeMs: 5_000 };
  const child = new DocumentChild({ entry, confinement, ...bounds, directory });
  await child.ended;
  return child.takeOutput()?.text.trim();
}

function connecting(): string {
  const { port } = server.address() as AddressInfo;
  return `
    import { connect } from 'node:net';
    process.disconnect();
    connect(${port}, '127.0.0.1')
      .on('connect', () => process.stdout.write('connected', () => process.exit()))
      .on('error', ({ code }) => process.stdout.write(code, () => process.exit()));`;
}

describe('the confinement of a child', () => {
  it('keeps it from every network, loopback included, or says that it cannot', async () => {
    const confinement = await findConfinement();
    const isMissing = missingFrom(confinement).includes('network_namespace');
    expect(await printed(confinement, connecting())).toMatch(
      isMissing ? /^connected$/ : /^(ENETUNREACH|EHOSTUNREACH)$/,
    );
  }, 20_000);

  it('is what keeps it from there', async () => {
    expect(await printed(unconfined, connecting())).toBe('connected');
    expect(missingFrom(unconfined)).toEqual(['network_namespace', 'resource_limits']);
  }, 20_000);

  it('bounds the files that it writes, or says that it cannot', async () => {
    const confinement = await findConfinement();
    const isMissing = missingFrom(confinement).includes('resource_limits');
    const code = `
      import { writeFileSync } from 'node:fs';
      process.disconnect();
      try {
        writeFileSync('large', Buffer.alloc(2_000));
        console.log('written');
      } catch ({ code }) {
        console.log(code);
      }`;
    expect(await printed(confinement, code)).toBe(isMissing ? 'written' : 'EFBIG');
  }, 20_000);

  it('leaves room for WebAssembly', async () => {
    const code = `
      process.disconnect();
      console.log(new WebAssembly.Memory({ initial: 1_000, maximum: 65_536 }).buffer.byteLength);`;
    expect(await printed(await findConfinement(), code)).toBe('65536000');
  }, 20_000);
});
