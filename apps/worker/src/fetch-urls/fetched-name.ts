import { documentName } from '#libs/domain';

/**
 * The name of a fetched document: the one that its server gives it (`Content-Disposition`, RFC 6266), or else the last segment of the path of
 * the URL that the job names.
 */
export function fetchedName(contentDisposition: string | null, url: string): string {
  return documentName(givenName(contentDisposition ?? '') ?? decoded(new URL(url).pathname));
}

const extended = /;\s*filename\*\s*=\s*utf-8'[^']*'([^;\s]+)/i;
const quoted = /;\s*filename\s*=\s*"((?:\\.|[^"\\])*)"/i;
const token = /;\s*filename\s*=\s*([^\s;"]+)/i;

function givenName(header: string): string | null {
  const name = extended.exec(header)?.[1];
  if (name !== undefined) return decoded(name);
  return quoted.exec(header)?.[1]?.replace(/\\(.)/g, '$1') ?? token.exec(header)?.[1] ?? null;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
