import { measureRounds, type Round } from './rounds.js';
import type { ServerLoad } from './run-load.js';
import { Sample } from './sample.js';

/** How comparisons are made. */
export interface ComparisonOptions {
  /** Empty, for whatever is needed. */
  readonly directory: string;
  readonly pairs: number;
  /** Of each half of a pair. */
  readonly measuredMs: number;
  /** Told what goes on. */
  readonly say: (line: string) => void;
}

/** Loads, by name, that were measured in pairs. */
export interface Comparison<Name extends string> {
  readonly pairs: readonly Round<Name, ServerLoad>[];
  /** Of each pair. */
  readonly ratios: readonly number[];
  /** Their median: one disturbed pair does not move it, nor does what weighs on both halves. */
  readonly ratio: number;
}

/** Measures pairs whose order alternates. */
export async function compareLoads<Name extends string>(
  { pairs, say }: Pick<ComparisonOptions, 'pairs' | 'say'>,
  measures: Readonly<Record<Name, () => Promise<ServerLoad>>>,
  ratio: (pair: Round<Name, ServerLoad>) => number,
): Promise<Comparison<Name>> {
  const measured = await measureRounds(pairs, measures, (pair, number) => say(`pair ${number}: ${told(pair)}`));
  return comparisonOf(measured, ratio);
}

/** The comparison of loads that were measured. */
export function comparisonOf<Name extends string>(
  pairs: readonly Round<Name, ServerLoad>[],
  ratio: (pair: Round<Name, ServerLoad>) => number,
): Comparison<Name> {
  const ratios = pairs.map(ratio);
  return { pairs, ratios, ratio: new Sample(ratios).median };
}

/** A round in a line. */
export function told(round: Round<string, ServerLoad>): string {
  const loads = Object.entries(round);
  return loads
    .map(([name, { perSecond, p50Ms }]) => `${name} ${perSecond.toFixed(0)}/s ${p50Ms.toFixed(1)} ms`)
    .join(', ');
}
