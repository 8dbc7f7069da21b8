import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { jest } from '@jest/globals';
import pg from 'pg';
import {
  startEmbeddedPostgres,
  type EmbeddedPostgres,
} from '../../apps/standalone/src/embedded-postgres/start-embedded-postgres.js';
import { eventually } from '../support/eventually.js';
import { isRunning } from '../support/processes.js';

const built = pathToFileURL(
  join(process.cwd(), 'dist/apps/standalone/src/embedded-postgres/start-embedded-postgres.js'),
).href;

/** A service that does nothing but start Postgres in the directory it is given. */
const serviceSource = `
import { startEmbeddedPostgres } from ${JSON.stringify(built)};
const log = { info() {}, error() {} };
const { url, pid } = await startEmbeddedPostgres({ directory: process.argv[2], log });
process.send({ url, pid });
`;

jest.setTimeout(30_000);

const log = { info: () => undefined, error: () => undefined };

let root: string;
let directory: string;
let running: EmbeddedPostgres | undefined;
let service: ChildProcess | undefined;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'pdfonce-embedded-'));
  await chmod(root, 0o711);
  directory = join(root, 'postgres');
});

afterEach(async () => {
  service?.kill('SIGKILL');
  service = undefined;
  running ??= await start().catch(() => undefined);
  await running?.stop('immediate');
  running = undefined;
  await rm(root, { recursive: true });
});

async function start(port?: number): Promise<EmbeddedPostgres> {
  running = await startEmbeddedPostgres({ directory, log, ...(port === undefined ? {} : { port }) });
  return running;
}

async function startService(): Promise<ChildProcess> {
  const file = join(root, 'service.mjs');
  await writeFile(file, serviceSource);
  service = fork(file, [directory], { execArgv: [], env: { ...process.env, NODE_OPTIONS: '' } });
  return service;
}

async function kill(child: ChildProcess): Promise<void> {
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
}

/** Starts a service, lets it start Postgres, and kills it alone. */
async function leaveOrphan(): Promise<{ url: string; pid: number }> {
  const child = await startService();
  const ended = once(child, 'exit').then(() =>
    Promise.reject(new Error('the service ended before Postgres was ready')),
  );
  const [told] = (await Promise.race([once(child, 'message'), ended])) as [{ url: string; pid: number }];
  ended.catch(() => undefined);
  await kill(child);
  return told;
}

async function query(url: string, sql: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query<unknown[]>({ text: sql, rowMode: 'array' })).rows.flat();
  } finally {
    await client.end();
  }
}

async function unfinished(): Promise<string[]> {
  const names = await readdir(directory).catch(() => [] as string[]);
  return names.filter((name) => name.startsWith('data.partial-'));
}

describe('a first start', () => {
  it('is ready within 5 s on an empty directory, durable, UTF-8 and on loopback only', async () => {
    const startedAtMs = performance.now();
    const { url, adopted } = await start();
    expect(performance.now() - startedAtMs).toBeLessThan(5_000);
    expect(adopted).toBe(false);
    const settings = ['fsync', 'synchronous_commit', 'full_page_writes', 'data_checksums', 'listen_addresses'];
    expect(
      await query(
        url,
        `select current_setting(name) from unnest('{${settings.join()}}'::text[]) with ordinality as t (name, n) order by n`,
      ),
    ).toEqual(['on', 'on', 'on', 'on', '127.0.0.1']);
    expect(await query(url, `show server_encoding`)).toEqual(['UTF8']);
  });

  it('lets nobody in without the password, which its owner alone can read', async () => {
    const { url } = await start();
    const wrong = new URL(url);
    wrong.password = 'wrong';
    await expect(query(wrong.href, 'select 1')).rejects.toThrow(/password authentication failed/);
    expect((await stat(join(directory, 'password'))).mode & 0o777).toBe(0o600);
  });

  it('runs in a session of its own, so that no terminal signal reaches it', async () => {
    const { pid } = await start();
    const fields = (await readFile(`/proc/${pid}/stat`, 'utf8')).split(') ')[1]?.split(' ');
    expect(fields?.[3]).toBe(String(pid));
  });

  it('as root names the barrier and the remedy when the user of the server may not pass', async () => {
    await chmod(root, 0o700);
    const isRoot = process.getuid?.() === 0;
    const outcome = await start().then(
      () => 'started',
      (error: Error) => error.message,
    );
    expect(outcome).toMatch(isRoot ? `chmod o+x ${root}` : 'started');
    await chmod(root, 0o711);
  });
});

describe('a next start', () => {
  it('finds the data of the one before, which left no process', async () => {
    const first = await start();
    await query(first.url, 'create table kept as select 42 as answer');
    await first.stop();
    expect(await isRunning(first.pid)).toBe(false);
    const second = await start();
    expect(await query(second.url, 'select answer from kept')).toEqual([42]);
  });

  it('adopts the server that a killed service left, on the same port and with the same password', async () => {
    const orphan = await leaveOrphan();
    const { url, pid, adopted, stop } = await start();
    expect({ url, pid, adopted }).toEqual({ ...orphan, adopted: true });
    expect(await query(url, 'select 1')).toEqual([1]);
    await stop();
    expect(await isRunning(orphan.pid)).toBe(false);
  });

  it('stops an orphan that was started otherwise than it would be now, and starts its own', async () => {
    const orphan = await leaveOrphan();
    const options = join(directory, 'data', 'postmaster.opts');
    await writeFile(options, (await readFile(options, 'utf8')).replace('jit=off', 'jit=on'));
    const { url, adopted } = await start();
    expect(adopted).toBe(false);
    expect(await isRunning(orphan.pid)).toBe(false);
    expect(await query(url, 'select 1')).toEqual([1]);
  });

  it('keeps every commit of a server that was killed with its service', async () => {
    const orphan = await leaveOrphan();
    await query(orphan.url, 'create table kept as select 42 as answer');
    process.kill(orphan.pid, 'SIGKILL');
    const { url, adopted } = await start();
    expect(adopted).toBe(false);
    expect(await query(url, 'select answer from kept')).toEqual([42]);
  });

  it('is not stopped by a stale postmaster.pid whose process id now belongs to another program', async () => {
    const { stop } = await start();
    await stop();
    await writeFile(join(directory, 'data', 'postmaster.pid'), `${process.pid}\n${directory}/data\n0\n5432\n\n`);
    const { url } = await start();
    expect(await query(url, 'select 1')).toEqual([1]);
  });

  it('never uses a cluster whose initdb was killed half-way', async () => {
    const child = await startService();
    const half = await eventually(
      async () => {
        const [name] = await unfinished();
        return name !== undefined && (await stat(join(directory, name, 'data', 'base'))) && name;
      },
      { everyMs: 2 },
    );
    await kill(child);
    expect(await readdir(directory)).not.toContain('data');
    const { url } = await start();
    expect(await query(url, 'select 1')).toEqual([1]);
    await running?.stop();
    await start();
    expect(await unfinished()).not.toContain(half);
  });

  it('throws away what a half-made initdb left', async () => {
    await mkdir(join(directory, 'data.partial-x', 'data'), { recursive: true });
    await writeFile(join(directory, 'data.partial-x', 'data', 'PG_VERSION'), '18\n');
    await start();
    expect(await unfinished()).toEqual([]);
  });

  it('refuses a cluster whose password file is gone instead of making another', async () => {
    await (await start()).stop();
    const password = await readFile(join(directory, 'password'), 'utf8');
    await rm(join(directory, 'password'));
    await expect(start()).rejects.toThrow(/password is missing/);
    await writeFile(join(directory, 'password'), password);
  });

  it('shows the end of the log when the server does not start', async () => {
    await (await start()).stop();
    const conf = join(directory, 'data', 'postgresql.conf');
    const good = await readFile(conf);
    await writeFile(conf, 'no_such_setting = 1\n');
    await expect(start()).rejects.toThrow(/no_such_setting/);
    await writeFile(conf, good);
  });
});

describe('a running server', () => {
  it('is started again on its port when it was killed', async () => {
    const server = await start();
    const killed = server.pid;
    process.kill(killed, 'SIGKILL');
    await eventually(() => server.pid !== killed, { withinMs: 10_000 });
    expect(await query(server.url, 'select 1')).toEqual([1]);
  });

  it('can be stopped more than once', async () => {
    const { stop, pid } = await start();
    await Promise.all([stop(), stop()]);
    await stop();
    expect(await isRunning(pid)).toBe(false);
  });

  it('takes the port it is given, again after a crash stop', async () => {
    const first = await start();
    await first.stop('immediate');
    const second = await start(Number(new URL(first.url).port));
    expect(second.url).toBe(first.url);
  });
});
