/** What a figure is held against. */
export type Target = { readonly atLeast: number } | { readonly atMost: number } | { readonly below: number };

/** A figure's target in words, and `ok` or `MISSED`. A figure that is no number has missed. */
export function verdict(figure: number, target: Target): string {
  if ('atLeast' in target) return words(figure >= target.atLeast, `at least ${target.atLeast}`);
  if ('atMost' in target) return words(figure <= target.atMost, `at most ${target.atMost}`);
  return words(figure < target.below, `below ${target.below}`);
}

function words(isMet: boolean, target: string): string {
  return `target ${target}: ${isMet ? 'ok' : 'MISSED'}`;
}
