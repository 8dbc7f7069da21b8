import bidiFactory from 'bidi-js';

/** A stretch of one line that runs in one direction. */
export interface DirectedRun {
  readonly text: string;
  readonly direction: 'ltr' | 'rtl';
}

interface LevelRun extends DirectedRun {
  readonly level: number;
}

const bidi = bidiFactory();

/**
 * The runs of a line from left to right as a reader sees them, each in the order of its own reading, by the Unicode Bidirectional
 * Algorithm (UAX #9): digits and Latin words keep their order within Hebrew or Arabic, and brackets are mirrored.
 */
export function splitDirections(line: string): DirectedRun[] {
  const { levels } = bidi.getEmbeddingLevels(line);
  const mirrored = bidi.getMirroredCharactersMap(line, levels);
  const runs: LevelRun[] = [];
  for (let index = 0; index < line.length; index += 1) {
    const level = levels[index] ?? 0;
    const character = mirrored.get(index) ?? line.charAt(index);
    const last = runs.at(-1);
    if (last?.level === level) runs[runs.length - 1] = { ...last, text: last.text + character };
    else runs.push({ text: character, level, direction: level % 2 === 1 ? 'rtl' : 'ltr' });
  }
  return inVisualOrder(runs).map(({ text, direction }) => ({ text, direction }));
}

/** From the highest level down, whatever is at least as high is turned round (rule L2). */
function inVisualOrder(runs: readonly LevelRun[]): LevelRun[] {
  const order = [...runs];
  const highest = Math.max(0, ...runs.map(({ level }) => level));
  for (let level = highest; level > 0; level -= 1) {
    for (let start = 0; start < order.length; start += 1) {
      let end = start;
      while ((order[end]?.level ?? -1) >= level) end += 1;
      order.splice(start, end - start, ...order.slice(start, end).reverse());
      start = Math.max(start, end);
    }
  }
  return order;
}
