/**
 * Reads a URL (WHATWG URL), `null` when a text is none. `URL.canParse` is not asked: once Node 20 has compiled it, it says no to any text with
 * a letter such as `é` in it.
 */
export function readUrl(text: string, base?: string): URL | null {
  try {
    return new URL(text, base);
  } catch {
    return null;
  }
}
