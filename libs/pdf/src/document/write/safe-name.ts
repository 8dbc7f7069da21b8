/** Path separators, characters that file systems refuse, control characters and marks that turn the reading direction. */
const unsafe = /[\u0000-\u001f\u007f-\u009f<>:"/\\|?*\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;
const longestStem = 100;

/** What a text has of what may stand in the name of a file, at most so many characters of it. */
export function safeName(text: string, mostCharacters: number): string {
  return shorten([...clean(text.replace(/\s+/gu, ' ')).trim()], mostCharacters);
}

/** The last segment of a name without `.pdf` and without anything that a file name cannot have; `document` if nothing is left. */
export function stemOf(name: string): string {
  const lastSegment = name.split(/[/\\]/).at(-1) ?? '';
  const stem = shorten([...clean(lastSegment).replace(/\.pdf$/i, '')], longestStem);
  return stem === '' ? 'document' : stem;
}

function clean(text: string): string {
  return text.toWellFormed().normalize().replace(unsafe, '');
}

function shorten(characters: readonly string[], most: number): string {
  return characters
    .slice(0, most)
    .join('')
    .replace(/^[\s.]+|[\s.]+$/g, '');
}
