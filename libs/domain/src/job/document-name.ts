const longestName = 255;
const unfit = /[\u0000-\u001f\u007f]/g;

/** A file name that is safe to store and show: no path, no control characters, not empty, at most 255 characters. */
export function documentName(fileName: string): string {
  const base = fileName.toWellFormed().split(/[/\\]/).at(-1) ?? '';
  const name = base.replace(unfit, '').trim().slice(0, longestName).toWellFormed();
  return name === '' || name === '.' || name === '..' ? 'document.pdf' : name;
}

const longestMediaType = 100;

/** The type and subtype of a media type (RFC 9110, section 8.3.1), without parameters; what is none counts as bytes. */
export function documentMediaType(text: string): string {
  const type = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+/.exec(text)?.[0]?.toLowerCase() ?? '';
  return type === '' || type.length > longestMediaType ? 'application/octet-stream' : type;
}
