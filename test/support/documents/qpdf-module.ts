import createModule from '@neslinesli93/qpdf-wasm';

/** What the package has and its types leave out. */
interface QpdfModule {
  callMain(args: readonly string[]): number;
  readonly FS: {
    init(input: () => null, output: (byte: number | null) => void, error: (byte: number | null) => void): void;
    writeFile(path: string, bytes: Uint8Array): void;
    readFile(path: string): Uint8Array;
  };
}

/** How a call of qpdf ended: 0 well, 2 with errors, 3 with warnings alone. */
export interface QpdfRun {
  readonly code: number;
  readonly output: string;
  readonly complaints: string;
  /** Reads a file that the call wrote. */
  read(this: void, path: string): Uint8Array;
}

/** Runs qpdf as WebAssembly in a file system of its own that holds these files. */
export async function runQpdfModule(
  args: readonly string[],
  files: Readonly<Record<string, Uint8Array>>,
): Promise<QpdfRun> {
  const output: number[] = [];
  const complaints: number[] = [];
  const qpdf = await loadModule(output, complaints);
  for (const [path, bytes] of Object.entries(files)) qpdf.FS.writeFile(path, bytes);
  const exitCode = process.exitCode;
  const code = qpdf.callMain([...args]);
  // The module takes its end for the end of this process.
  process.exitCode = exitCode;
  return {
    code,
    output: Buffer.from(output).toString(),
    complaints: Buffer.from(complaints).toString(),
    read: (path) => Uint8Array.from(qpdf.FS.readFile(path)),
  };
}

async function loadModule(output: number[], complaints: number[]): Promise<QpdfModule> {
  const keepIn =
    (kept: number[]) =>
    (byte: number | null): void => {
      if (byte !== null) kept.push(byte & 0xff);
    };
  const preRun = [({ FS }: QpdfModule): void => FS.init(() => null, keepIn(output), keepIn(complaints))];
  const create = createModule as unknown as (options: { preRun: typeof preRun }) => Promise<QpdfModule>;
  return create({ preRun });
}
