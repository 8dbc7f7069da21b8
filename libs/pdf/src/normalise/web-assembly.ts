/** A memory that an instance shares with its surroundings. */
export interface Memory {
  readonly buffer: ArrayBuffer;
  grow(pages: number): number;
}

/** A compiled program. */
export type Code = object;

interface WebAssemblyApi {
  readonly Module: new (bytes: Uint8Array) => Code;
  readonly Memory: new (description: { initial: number }) => Memory;
  readonly RuntimeError: ErrorConstructor;
  instantiate(code: Code, imports: object): Promise<{ readonly exports: Readonly<Record<string, unknown>> }>;
}

/** The global of this name, as far as it is used; the types of Node do not have it. */
export const webAssembly = (globalThis as unknown as { readonly WebAssembly: WebAssemblyApi }).WebAssembly;
