import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { transformFile } from '@swc/core';
import { eventually } from './eventually.js';
import { isRunning } from './processes.js';
import { Supervisor } from './supervisor.js';

const serverSource = `
import { createServer } from 'node:http';
const server = createServer((request, response) => response.end('ok'));
server.listen(0, '127.0.0.1', () => {
  console.log(JSON.stringify({ msg: 'listening', port: server.address().port, flavour: process.env.FLAVOUR }));
});
`;

let root: string;
let supervisor: Supervisor;
let entry: string;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'pdfonce-supervisor-'));
  entry = join(root, 'server.mjs');
  await writeFile(entry, serverSource);
  supervisor = new Supervisor(join(root, 'logs'));
});

afterEach(async () => {
  await supervisor.stopAll();
  await rm(root, { recursive: true });
});

/** The supervisor as plain JavaScript, for a process that is killed together with what it supervises. */
async function compileSupervisor(): Promise<string> {
  for (const name of ['supervisor', 'kill-with-this-process']) {
    const { code } = await transformFile(join(process.cwd(), 'test/support', `${name}.ts`), {
      jsc: { target: 'es2022', parser: { syntax: 'typescript' } },
      module: { type: 'es6' },
    });
    await writeFile(join(root, `${name}.js`), code);
  }
  await writeFile(join(root, 'package.json'), '{"type":"module"}');
  return pathToFileURL(join(root, 'supervisor.js')).href;
}

describe('Supervisor', () => {
  it('starts, captures JSON logs, waits for readiness, kills and starts again with another environment', async () => {
    const server = supervisor.start({ name: 'server', entry, env: { FLAVOUR: 'first' } });
    const first = await server.waitForLog((line) => line.fields?.['msg'] === 'listening');
    await server.waitForReady(`http://127.0.0.1:${String(first.fields?.['port'])}/`);
    const firstPid = server.pid;
    expect(server.kill('SIGKILL')).toBe(true);
    await server.waitForEnd({ code: null, signal: 'SIGKILL' });

    server.restart({ FLAVOUR: 'second' });
    const second = await server.waitForLog((line) => line.fields?.['msg'] === 'listening');
    expect(second.fields).toMatchObject({ flavour: 'second' });
    expect(server.pid).not.toBe(firstPid);
    await supervisor.stopAll();
    expect(server.end).toEqual({ code: null, signal: 'SIGTERM' });
    expect((await readFile(join(root, 'logs', 'server.log'), 'utf8')).trim().split('\n')).toHaveLength(2);
  });

  it('says what a process wrote when it ends before it is ready', async () => {
    await writeFile(entry, 'console.error("no database"); process.exit(3);');
    const server = supervisor.start({ name: 'server', entry });
    await expect(server.waitForReady('http://127.0.0.1:9/')).rejects.toThrow(/"code":3[^]*no database/);
  });

  it('kills its processes when it is itself killed', async () => {
    const url = await compileSupervisor();
    await writeFile(
      join(root, 'boss.mjs'),
      `import { Supervisor } from ${JSON.stringify(url)};
       const server = new Supervisor().start({ name: 'server', entry: ${JSON.stringify(entry)} });
       await server.waitForLog((line) => line.fields?.msg === 'listening');
       console.log(JSON.stringify({ msg: 'supervised', pid: server.pid }));`,
    );
    const boss = supervisor.start({ name: 'boss', entry: join(root, 'boss.mjs') });
    const line = await boss.waitForLog(({ fields }) => fields?.['msg'] === 'supervised');
    const pid = Number(line.fields?.['pid']);
    expect(await isRunning(pid)).toBe(true);
    boss.kill('SIGKILL');
    await eventually(async () => !(await isRunning(pid)));
  });
});
