/**
 * Whether an `Accept` header (RFC 9110, section 12.5.1) asks for a document rather than for JSON: it names the type of the document, and
 * JSON with less weight. A wildcard of the same weight leaves the choice to the type that is named.
 */
export function prefersDocument(accept: string | undefined, type: string): boolean {
  const weights = new Map((accept ?? '').split(',').map(weighted));
  const named = weights.get('application/json');
  const json = named ?? weights.get('application/*') ?? weights.get('*/*') ?? 0;
  const document = weights.get(type) ?? 0;
  return document > json || (document > 0 && document === json && named === undefined);
}

/** A media range and its weight, 1 where none that can be read is given. */
function weighted(range: string): [type: string, weight: number] {
  const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
  const weight = parameters.map((parameter) => /^q\s*=\s*([01](\.\d{0,3})?)$/.exec(parameter)?.[1]).find(Boolean);
  return [type, weight === undefined ? 1 : Math.min(Number(weight), 1)];
}
