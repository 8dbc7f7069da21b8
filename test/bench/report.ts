import type { AdmissionComparison, HandlerResult } from './compare-admission.js';
import type { IdleUse } from './measure-idle.js';
import type { Latency } from './measure-latency.js';
import { Sample } from './sample.js';

/** The lines that tell of an admission comparison, the ratio first. */
export function admissionLines({ connections, pairs, ratio }: AdmissionComparison): string[] {
  const ratios = pairs.map(({ api, bare }) => (api.perSecond / bare.perSecond).toFixed(2)).join(', ');
  return [
    `admission, API against the bare handler: ${ratio.toFixed(2)} (median of ${pairs.length} pairs: ${ratios})`,
    `  API   ${loadLine(pairs.map(({ api }) => api))}  (${connections} connections)`,
    `  bare  ${loadLine(pairs.map(({ bare }) => bare))}`,
  ];
}

/** The lines that tell of one latency. */
export function latencyLines(where: string, { acceptToStart, settleToReceived }: Latency): string[] {
  return [
    `${where}, ${acceptToStart.size} lone jobs`,
    `  accept -> start     ${quantiles(acceptToStart)}`,
    `  settle -> received  ${quantiles(settleToReceived)}`,
  ];
}

/** The line that tells of idle use. */
export function idleLines({ cpuShare, pssBytes, processes }: IdleUse): string[] {
  const megabytes = (pssBytes / 1_000_000).toFixed(0);
  return [`idle, ${processes} processes: ${(100 * cpuShare).toFixed(1)} % of a core, ${megabytes} MB (PSS)`];
}

function loadLine(results: readonly HandlerResult[]): string {
  const median = (value: (result: HandlerResult) => number): number => new Sample(results.map(value)).median;
  const perSecond = median((result) => result.perSecond).toFixed(0);
  const p50 = median(({ p50Ms }) => p50Ms).toFixed(1);
  const p99 = median(({ p99Ms }) => p99Ms).toFixed(1);
  const cpu = median(({ cpuMs }) => cpuMs).toFixed(2);
  return `${perSecond.padStart(5)} requests/s  p50 ${p50} ms  p99 ${p99} ms  ${cpu} ms of processor time for each`;
}

function quantiles(sample: Sample): string {
  return `p50 ${sample.median.toFixed(1)} ms  p95 ${sample.quantile(0.95).toFixed(1)} ms`;
}
