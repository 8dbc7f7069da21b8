import { measureRounds } from '../rounds.js';
import { Sample } from '../sample.js';
import { atMost, information, type Line } from './line.js';
import type { ToolRun } from './tool-run.js';

/** What a task is measured with: the product, qpdf, and others where they are installed. */
export type Tools = Readonly<Record<'product' | 'qpdf' | (string & {}), () => Promise<ToolRun>>>;

/** What the ratios to qpdf should be; a time without a target only informs. */
export interface RatioTargets {
  readonly bytes: number;
  readonly time: number | null;
}

/** Runs every tool in turn in each of so many rounds and tells how the product's bytes and times stand to those of qpdf. */
export async function compareRuns(
  title: string,
  tools: Tools,
  { pairs, targets }: { readonly pairs: number; readonly targets: RatioTargets },
): Promise<Line[]> {
  const rounds = await measureRounds(pairs, tools);
  const ratios = rounds.map(({ product, qpdf }) => ratio(product?.wallMs, qpdf?.wallMs));
  const bytes = ratio(rounds[0]?.['product']?.outputBytes, rounds[0]?.['qpdf']?.outputBytes);
  const time = new Sample(ratios).median;
  const shown = ` (median of ${ratios.map((each) => each.toFixed(2)).join(', ')})`;
  const timeTitle = `${title}, time / qpdf's`;
  return [
    atMost(`${title}, bytes / qpdf's`, bytes, targets.bytes),
    targets.time === null
      ? information(timeTitle, `${time.toFixed(2)}${shown}`)
      : atMost(timeTitle, time, targets.time, shown),
    ...Object.keys(tools).map((name) => information(name, runsText(rounds.flatMap((round) => round[name] ?? [])))),
  ];
}

function ratio(one: number | undefined, other: number | undefined): number {
  return (one ?? Number.NaN) / (other ?? Number.NaN);
}

function runsText(runs: readonly ToolRun[]): string {
  const wallMs = new Sample(runs.map((run) => run.wallMs)).median;
  const peakBytes = Math.max(...runs.map((run) => run.peakBytes));
  const outputBytes = runs[0]?.outputBytes ?? Number.NaN;
  return `${megabytes(outputBytes)} MB out, ${wallMs.toFixed(0)} ms, at most ${megabytes(peakBytes)} MB of memory`;
}

function megabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(1);
}
