/** Files that are no documents, or not quite. */

/** Bytes that mean nothing, before the header. Row 19 of the research. */
export function withJunkBefore(bytes: Uint8Array, junkBytes = 2_000): Uint8Array {
  return Buffer.concat([Buffer.alloc(junkBytes, 'junk '), bytes]);
}

/** Zeros after the end, as a broken download leaves them. Row 19. */
export function withNulsAfter(bytes: Uint8Array, nuls = 5_000): Uint8Array {
  return Buffer.concat([bytes, Buffer.alloc(nuls)]);
}

/** The first part of a file. Row 20. */
export function cutAt(bytes: Uint8Array, share = 0.6): Uint8Array {
  return bytes.subarray(0, Math.floor(bytes.byteLength * share));
}

/** A page of the web. Row 21. */
export function html(): Uint8Array {
  return Buffer.from('<!DOCTYPE html>\n<html><head><title>404</title></head><body>Not found</body></html>\n');
}

/** A picture: one pixel. Row 21. */
export function png(): Uint8Array {
  return Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
    'base64',
  );
}

/** A header and nothing more. Row 21. */
export function headerOnly(): Uint8Array {
  return Buffer.from('%PDF-1.7\n');
}

/** The trailer names an object as root that is not there; the catalog is. The file has to have a table. Row 18. */
export function withInvalidRoot(bytes: Uint8Array): Uint8Array {
  return edited(bytes, (text) => text.replace(/\/Root \d+ 0 R/, (root) => '/Root 9999 0 R'.padEnd(root.length)));
}

/** There is no table of cross-references and no trailer, only objects. Row 18. */
export function withoutCrossReferences(bytes: Uint8Array): Uint8Array {
  return edited(bytes, (text) => `${text.slice(0, text.lastIndexOf('\nxref\n') + 1)}%%EOF\n`);
}

/** There is no table of cross-references, but a trailer. Row 18. */
export function withoutTable(bytes: Uint8Array): Uint8Array {
  return edited(
    bytes,
    (text) => `${text.slice(0, text.lastIndexOf('\nxref\n') + 1)}${text.slice(text.lastIndexOf('trailer'))}`,
  );
}

/** The table of cross-references leads elsewhere. Row 18. */
export function withWrongOffsets(bytes: Uint8Array): Uint8Array {
  return edited(bytes, (text) =>
    text.replace(/^\d{10} 00000 n/gm, (line) => `${String(Number(line.slice(0, 10)) + 7).padStart(10, '0')} 00000 n`),
  );
}

/** Edits a file as text whose characters are its bytes. */
function edited(bytes: Uint8Array, edit: (text: string) => string): Uint8Array {
  return Buffer.from(edit(Buffer.from(bytes).toString('latin1')), 'latin1');
}
