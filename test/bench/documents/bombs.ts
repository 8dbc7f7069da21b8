/** What there is of WebAssembly in the types of no library that is loaded here. */
interface GrowingMemory {
  readonly buffer: ArrayBuffer;
  grow(pages: number): number;
}

const { WebAssembly } = globalThis as unknown as {
  readonly WebAssembly: {
    readonly Memory: new (limits: { readonly initial: number; readonly maximum: number }) => GrowingMemory;
  };
};

const wasmPageBytes = 65_536;

/** Every bomb holds on to all that it gets, and goes on until it gets no more. */
const held: unknown[] = [];

/** Ways to fill the memory of a process, past everything that could stop a parser. */
export const memoryBombs: Readonly<Record<string, () => void>> = {
  objects: () => {
    for (;;) held.push({ index: held.length, more: [held.length] });
  },
  buffers: () => {
    for (;;) held.push(new Uint8Array(2 ** 24).fill(1));
  },
  'small-buffers': () => {
    for (;;) held.push(new Uint8Array(2 ** 14).fill(1));
  },
  'doubled-buffer': () => {
    for (let size = 2 ** 20; ; size *= 2) held.push(new Uint8Array(size).fill(1));
  },
  webassembly: () => {
    const memory = new WebAssembly.Memory({ initial: 1, maximum: wasmPageBytes });
    held.push(memory);
    for (;;) {
      const end = memory.grow(256) * wasmPageBytes;
      new Uint8Array(memory.buffer, end).fill(1);
    }
  },
};
