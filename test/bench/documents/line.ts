/** One figure of the bench of documents, and what it is held against. */
export interface Line {
  readonly title: string;
  readonly value: string;
  /** `null` where the figure only informs. */
  readonly target: string | null;
  readonly isMet: boolean | null;
}

/** A figure that should be at most so much. */
export function atMost(title: string, figure: number, most: number, more = ''): Line {
  return { title, value: `${figure.toFixed(2)}${more}`, target: `at most ${most}`, isMet: figure <= most };
}

/** What only informs. */
export function information(title: string, value: string): Line {
  return { title, value, target: null, isMet: null };
}

/** A line as it is printed. */
export function lineText({ title, value, target, isMet }: Line): string {
  if (target === null) return `  ${title}: ${value}`;
  return `${title}: ${value} (target ${target}: ${isMet === true ? 'ok' : 'MISSED'})`;
}
