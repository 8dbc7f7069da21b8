import type { FloodComparison } from './compare-flood.js';
import type { IsolationComparison } from './compare-isolation.js';
import type { KeyComparison } from './compare-key.js';
import type { KeyRowsComparison } from './compare-key-rows.js';
import type { Comparison } from './comparison.js';
import type { DeliveryLoad } from './measure-deliveries.js';
import type { IdleUse } from './measure-idle.js';
import type { Latency } from './measure-latency.js';
import type { MemoryUse } from './measure-memory.js';
import type { ServerLoad } from './run-load.js';
import { Sample } from './sample.js';
import { type Target, verdict } from './verdict.js';

/** The lines that tell of a comparison, the ratio first. Every label tells what a load of that name is. */
export function comparisonLines<Name extends string>(
  title: string,
  { pairs, ratios, ratio }: Comparison<Name>,
  labels: Readonly<Partial<Record<Name, string>>>,
  target: Target,
  line: (loads: readonly ServerLoad[]) => string = loadLine,
): string[] {
  const width = Math.max(...Object.values<string | undefined>(labels).map((label = '') => label.length));
  return [
    `${title}: ${ratio.toFixed(2)} (${verdict(ratio, target)}; median of ${ratios.map((each) => each.toFixed(2)).join(', ')})`,
    ...(Object.entries(labels) as [Name, string][]).map(
      ([name, label]) => `  ${label.padEnd(width)}  ${line(pairs.map((pair) => pair[name]))}`,
    ),
  ];
}

/** The lines that tell what a key costs. */
export function keyLines({ load, lone }: KeyComparison): string[] {
  return [
    ...comparisonLines(
      'admission, with a key against without',
      load,
      { keyed: 'with a key', keyless: 'without' },
      { atLeast: 0.85 },
    ),
    ...comparisonLines(
      'p50 of a lone client, with a key against without',
      lone,
      { loneKeyed: 'with a key', loneKeyless: 'without' },
      { atMost: 1.15 },
      timesLine,
    ),
  ];
}

/** The lines that tell what many keys and their removal do. */
export function keyRowsLines({ rows, filled, purged, deletedPerSecond }: KeyRowsComparison): string[] {
  const deleted = new Sample(deletedPerSecond).median.toFixed(0);
  return [
    ...comparisonLines(
      `p50 with ${rows} keys against a database that began empty`,
      filled,
      { full: `${rows} keys`, empty: 'began empty' },
      { atMost: 1.25 },
    ),
    ...comparisonLines(
      'p99 while expired keys are deleted against the same database left alone',
      purged,
      { purging: `${deleted} deleted/s`, full: 'left alone' },
      { atMost: 1.5 },
    ),
  ];
}

/** The lines that tell what a flood on one key does to the admissions of others. */
export function floodLines({ connections, floods, ...comparisons }: FloodComparison): string[] {
  const { held, repeated, apart } = comparisons;
  const target = { below: 1.5 };
  const labels = {
    quiet: 'nobody there',
    held: `${connections} wait for one key`,
    one: `${connections} repeat one key, ${new Sample(floods.one).median.toFixed(0)}/s`,
    many: `${connections} repeat keys of their own, ${new Sample(floods.many).median.toFixed(0)}/s`,
  };
  return [
    ...comparisonLines(
      'p50 of a lone client, others wait for one key against nobody there',
      held,
      labels,
      target,
      timesLine,
    ),
    ...comparisonLines('the same, others repeat one key against nobody there', repeated, {}, target),
    ...comparisonLines('the same, others repeat one key against keys of their own', apart, {}, target),
  ];
}

/** The lines that tell what bad endpoints, and one that returns, do to others. */
export function isolationLines({ endpoints, backlog, rounds }: IsolationComparison): string[] {
  const others = { bad: 'three bad ones', returning: `one that is owed ${backlog}` } as const;
  const targets = [
    [0.95, 1.2],
    [0.99, 1.5],
  ] as const;
  const ratioLine = (name: keyof typeof others, share: number, atMost: number): string => {
    const ratios = rounds.map((round) => round[name].quantile(share) / round.alone.quantile(share));
    const { median } = new Sample(ratios);
    const title = `first attempts at ${endpoints} endpoints beside ${others[name]} against alone, p${100 * share}`;
    return `${title}: ${median.toFixed(2)} (${verdict(median, { atMost })}; median of ${ratios.map((ratio) => ratio.toFixed(2)).join(', ')})`;
  };
  const timesOf = (name: keyof IsolationComparison['rounds'][number]): string =>
    [0.5, 0.95, 0.99]
      .map(
        (share) =>
          `p${100 * share} ${new Sample(rounds.map((round) => round[name].quantile(share))).median.toFixed(1)} ms`,
      )
      .join('  ');
  return [
    ...(['bad', 'returning'] as const).flatMap((name) =>
      targets.map(([share, atMost]) => ratioLine(name, share, atMost)),
    ),
    ...(['alone', 'bad', 'returning'] as const).map((name) => `  ${name.padEnd(10)}  ${timesOf(name)}`),
  ];
}

/** The lines that tell of resident memory. */
export function memoryLines({ processes, uploadBytes, addedBytes }: MemoryUse): string[] {
  const added = Math.max(...addedBytes) / 1e6;
  return [
    `upload of ${megabytes(uploadBytes)} adds at most ${added.toFixed(0)} MB to the API (${verdict(added, { below: 64 })}; ${addedBytes.map(megabytes).join(', ')})`,
    ...processes.map(({ name, idleBytes, loadedBytes, children }) => {
      const more = children.count === 0 ? '' : `, and ${megabytes(children.bytes)} in ${children.count} more processes`;
      return `  ${name.padEnd(10)}  idle ${megabytes(idleBytes)}, at most ${megabytes(loadedBytes)} under load${more}`;
    }),
  ];
}

/** The lines that tell of one latency; without targets where there are none. */
export function latencyLines(
  where: string,
  { acceptToStart, settleToReceived }: Latency,
  targets?: { readonly acceptToStart: Target; readonly settleToReceived: Target },
): string[] {
  return [
    `${where}, ${acceptToStart.size} lone jobs`,
    `  accept -> start     ${quantiles(acceptToStart, targets?.acceptToStart)}`,
    `  settle -> received  ${quantiles(settleToReceived, targets?.settleToReceived)}`,
  ];
}

/** The lines that tell what one dispatcher delivers. */
export function deliveryLines(loads: readonly DeliveryLoad[]): string[] {
  return loads.flatMap(({ receivers, events, perSecond, dispatcherCpuMs, postgresCpuMs, bare }) => {
    const cpuMs = dispatcherCpuMs + postgresCpuMs;
    return [
      `${events} events to ${receivers} ${receivers === 1 ? 'receiver' : 'receivers'}: ${perSecond.toFixed(0)} deliveries/s (${verdict(perSecond, { atLeast: 600 })})`,
      `  processor time for each  ${cpuMs.toFixed(2)} ms (${verdict(cpuMs, { below: 2 })}): ` +
        `dispatcher ${dispatcherCpuMs.toFixed(2)} ms, Postgres ${postgresCpuMs.toFixed(2)} ms`,
      `  a bare undici loop       ${bare.perSecond.toFixed(0)} requests/s, ${bare.cpuMs.toFixed(2)} ms for each`,
    ];
  });
}

/** The line that tells of idle use. */
export function idleLines({ cpuShare, pssBytes, processes }: IdleUse): string[] {
  const percent = 100 * cpuShare;
  return [
    `idle, ${processes} processes: ${percent.toFixed(1)} % of a core (${verdict(percent, { below: 5 })}), ` +
      `${megabytes(pssBytes)} PSS (${verdict(pssBytes / 1e6, { below: 300 })})`,
  ];
}

function loadLine(loads: readonly ServerLoad[]): string {
  const perSecond = medianOf(loads, (load) => load.perSecond).toFixed(0);
  const cpu = medianOf(loads, ({ cpuMs }) => cpuMs).toFixed(2);
  return `${perSecond.padStart(5)} requests/s  ${timesLine(loads)}  ${cpu} ms of processor time for each`;
}

function timesLine(loads: readonly ServerLoad[]): string {
  const p50 = medianOf(loads, ({ p50Ms }) => p50Ms).toFixed(1);
  const p99 = medianOf(loads, ({ p99Ms }) => p99Ms).toFixed(1);
  return `p50 ${p50} ms  p99 ${p99} ms`;
}

function medianOf(loads: readonly ServerLoad[], value: (load: ServerLoad) => number): number {
  return new Sample(loads.map(value)).median;
}

function quantiles(sample: Sample, target?: Target): string {
  const held = target === undefined ? '' : `  (p50, ${verdict(sample.median, target)})`;
  return `p50 ${sample.median.toFixed(1)} ms  p95 ${sample.quantile(0.95).toFixed(1)} ms${held}`;
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(0)} MB`;
}
