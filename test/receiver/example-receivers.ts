import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { packageRoot } from '../support/package-root.js';
import { Supervisor } from '../support/supervisor.js';
import { documentedCode } from './documented-code.js';

const run = promisify(execFile);
const compiler = join(packageRoot, 'node_modules', 'typescript', 'bin', 'tsc');
const listeningWithinMs = 30_000;
const installed = ['express', 'fastify', 'pg', 'reflect-metadata', 'rxjs', '@nestjs', '@types'];

/** The receivers of docs/examples/receivers, and `documented`, that of docs/webhooks.md. */
export const exampleNames = ['documented', 'express', 'fastify', 'nest'] as const;
export type ExampleName = (typeof exampleNames)[number];

export interface ReceiverOptions {
  /** One or, with a space between, several. */
  readonly secret: string;
  /** A database of its own for its tables. */
  readonly databaseUrl: string;
  readonly port: number;
}

/** A receiver that runs. */
export interface RunningReceiver {
  readonly url: string;
  readonly databaseUrl: string;
  /** What it said of each request, such as `handled evt_...`. */
  readonly said: () => readonly string[];
}

/** The receivers as a reader of the documents has them: built by the commands there, against the package and not its sources. */
export class ExampleReceivers {
  readonly #supervisor = new Supervisor();

  private constructor(private readonly directory: string) {}

  static async build(): Promise<ExampleReceivers> {
    const directory = await mkdtemp(join(tmpdir(), 'pdfonce-receivers-'));
    const sources = ['express.ts', 'fastify.ts', 'nest.ts', 'package.json', 'tsconfig.build.json'];
    const examples = join(packageRoot, 'docs', 'examples', 'receivers');
    for (const name of sources) await cp(join(examples, name), join(directory, name));
    await writeFile(join(directory, 'documented.ts'), await documentedCode('ts'));
    await install(join(directory, 'node_modules'));
    await run(process.execPath, [compiler, '-p', join(directory, 'tsconfig.build.json')], { cwd: directory });
    return new ExampleReceivers(directory);
  }

  /** Starts one and waits until it listens. */
  async start(name: ExampleName, { secret, databaseUrl, port }: ReceiverOptions): Promise<RunningReceiver> {
    const started = this.#supervisor.start({
      name,
      entry: join(this.directory, 'dist', `${name}.js`),
      env: { WEBHOOK_SECRET: secret, DATABASE_URL: databaseUrl, PORT: String(port) },
    });
    await started.waitForLog(({ text }) => text === 'listening', { withinMs: listeningWithinMs });
    const said = () => started.logs.map(({ text }) => text).filter((text) => /^[a-z_]+ \w+$/.test(text));
    return { url: `http://127.0.0.1:${port}/hooks/pdfonce`, databaseUrl, said };
  }

  async stop(): Promise<void> {
    await this.#supervisor.stopAll();
    await rm(this.directory, { recursive: true, force: true });
  }
}

/** Builds the package as `npm pack` does, and links what the tree has already. */
async function install(modules: string): Promise<void> {
  const library = join(packageRoot, 'libs', 'receiver');
  const target = join(modules, '@pdfonce', 'receiver');
  await mkdir(target, { recursive: true });
  await cp(join(library, 'package.json'), join(target, 'package.json'));
  await run(process.execPath, [compiler, '-p', join(library, 'tsconfig.build.json'), '--outDir', join(target, 'dist')]);
  for (const name of installed) await symlink(join(packageRoot, 'node_modules', name), join(modules, name));
}
