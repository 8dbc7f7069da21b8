/** The parts in use of a package that brings no types. */
declare module 'bidi-js' {
  interface EmbeddingLevels {
    /** One for each UTF-16 unit; odd levels run from right to left. */
    readonly levels: Uint8Array;
  }
  interface Bidi {
    getEmbeddingLevels(text: string): EmbeddingLevels;
    /** What stands mirrored at these indices, such as brackets. */
    getMirroredCharactersMap(text: string, levels: Uint8Array): Map<number, string>;
  }
  export default function bidiFactory(): Bidi;
}
