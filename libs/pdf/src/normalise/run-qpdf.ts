import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { getHeapStatistics } from 'node:v8';
import { compileFunction } from 'node:vm';
import type { Code, Memory } from './web-assembly.js';
import { webAssembly } from './web-assembly.js';

/** One run of qpdf. It sees the files that it is given, all in memory, and nothing else. */
export interface QpdfRun {
  /** As the program has it: 0 for success, 3 for success with warnings, 2 for an error; `null` when it broke off. */
  readonly exitCode: number | null;
  /** The lines that it printed, warnings and errors among them. */
  readonly printed: readonly string[];
  /** What it wrote to `/output`. */
  readonly output: Buffer | null;
  /** Whether it was refused memory. */
  readonly outOfMemory: boolean;
}

interface Qpdf {
  callMain(args: string[]): number;
  readonly FS: {
    writeFile(path: string, content: Uint8Array): void;
    readFile(path: string): Uint8Array;
  };
}

/** The world as the program sees it. */
interface Surroundings {
  readonly process: object;
  readonly require: (module: string) => object;
  readonly console: object;
  readonly WebAssembly: object;
}

type Exports = Readonly<Record<string, unknown>>;
type CreateQpdf = (module: object) => Promise<Qpdf>;

interface Program {
  readonly code: Code;
  readonly create: (surroundings: Surroundings) => CreateQpdf;
}

const names = ['process', 'require', 'console', 'WebAssembly', '__dirname', '__filename'];
const pageBytes = 65_536;
/** Lines beyond these are dropped: a damaged document can have a warning for each of its objects. */
const mostLines = 100;

let loaded: Program | null = null;

/**
 * Runs qpdf in WebAssembly, in a fresh instance. The program was made to be a command or a web page: it prints to the console, sets
 * the exit code of its process and reads files, so it is given stand-ins for all of these. Its memory may grow to `mostBytes`, which is
 * as large as the heap of this process may be.
 */
export async function runQpdf(
  args: readonly string[],
  files: Readonly<Record<string, Uint8Array>>,
  mostBytes = getHeapStatistics().heap_size_limit,
): Promise<QpdfRun> {
  loaded ??= load();
  const printed: string[] = [];
  const memory = { mostBytes, refused: false };
  const qpdf = await loaded.create(surroundings(loaded.code, printed, memory))({});
  for (const [path, content] of Object.entries(files)) qpdf.FS.writeFile(path, content);
  const exitCode = call(qpdf, args, printed);
  return { exitCode, printed, output: read(qpdf, '/output'), outOfMemory: memory.refused };
}

function load(): Program {
  const require = createRequire(import.meta.url);
  const script = require.resolve('@neslinesli93/qpdf-wasm');
  const source = `${readFileSync(script, 'utf8')}\nreturn Module;`;
  const run = compileFunction(source, names, { filename: script }) as (...values: unknown[]) => CreateQpdf;
  return {
    code: new webAssembly.Module(readFileSync(script.replace(/\.js$/, '.wasm'))),
    create: ({ process, require: load, console, WebAssembly: wasm }) => run(process, load, console, wasm, '', ''),
  };
}

function surroundings(
  code: Code,
  printed: string[],
  memory: { readonly mostBytes: number; refused: boolean },
): Surroundings {
  const print = (line: unknown): void => void (printed.length < mostLines && printed.push(String(line)));
  const modules: Readonly<Record<string, object>> = {
    fs: { readFileSync: () => new Uint8Array() },
    path: {},
  };
  return {
    process: {
      versions: { node: process.versions.node },
      argv: ['node', 'qpdf'],
      platform: 'linux',
      binding: () => ({}),
    },
    require: (module) => modules[module] ?? {},
    console: { log: print, error: print, warn: print },
    WebAssembly: {
      RuntimeError: webAssembly.RuntimeError,
      instantiate: async (_bytes: unknown, imports: object) => {
        const { exports } = await webAssembly.instantiate(code, imports);
        return { instance: { exports: withBoundedMemory(exports, memory) } };
      },
    },
  };
}

/** The exports of an instance, but with a memory that stops to grow. */
function withBoundedMemory(exports: Exports, limit: { readonly mostBytes: number; refused: boolean }): Exports {
  const bounded = (memory: Memory): object => ({
    get buffer() {
      return memory.buffer;
    },
    grow(pages: number): number {
      limit.refused ||= memory.buffer.byteLength + pages * pageBytes > limit.mostBytes;
      if (limit.refused) throw new RangeError('The memory of qpdf is used up.');
      return memory.grow(pages);
    },
  });
  return Object.fromEntries(
    Object.entries(exports).map(([name, value]) => [
      name,
      value instanceof webAssembly.Memory ? bounded(value) : value,
    ]),
  );
}

function call(qpdf: Qpdf, args: readonly string[], printed: string[]): number | null {
  try {
    return qpdf.callMain([...args]);
  } catch (error) {
    printed.push(String(error));
    return null;
  }
}

function read(qpdf: Qpdf, path: string): Buffer | null {
  try {
    const { buffer, byteOffset, byteLength } = qpdf.FS.readFile(path);
    return Buffer.from(buffer, byteOffset, byteLength);
  } catch {
    return null;
  }
}
