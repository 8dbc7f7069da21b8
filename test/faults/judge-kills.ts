import type { HistoryEntry } from '../support/history.js';
import {
  complaintViolations,
  endViolations,
  type Fact,
  Facts,
  type Judgement,
  killFigures,
  refusalViolations,
  replayViolations,
} from './facts.js';

export interface KillsJudgeOptions {
  /** Names of the webhook endpoints: each must have got every event. */
  readonly endpoints: readonly string[];
  /** How many kills were asked for. */
  readonly kills: number;
  /** Moments at which some process must have been killed; empty when the run is too short for that. */
  readonly points: readonly string[];
}

/** Share of the jobs that must have needed a second attempt or delivery because of a kill. */
const leastHitShare = 0.1;

/** Judges a run of the kills scenario by its history alone. */
export function judgeKills(history: readonly HistoryEntry[], options: KillsJudgeOptions): Judgement {
  const facts = new Facts(history);
  const hits = facts.jobsHit();
  return {
    figures: figuresOf(facts, hits),
    violations: [
      ...admissionViolations(facts),
      ...jobViolations(facts),
      ...eventViolations(facts, options.endpoints),
      ...outputViolations(facts),
      ...complaintViolations(facts),
      ...runViolations(facts, hits, options),
    ],
  };
}

function admissionViolations(facts: Facts): string[] {
  const missing = [...facts.expectedByKey.keys()].filter((key) => !facts.acceptedByKey.has(key));
  return [
    ...replayViolations(facts),
    ...missing.map((key) => `${key} was never accepted`),
    ...refusalViolations(facts),
  ];
}

function jobViolations(facts: Facts): string[] {
  const accepted = facts.acceptedJobIds();
  const known = new Set(facts.jobs.map(({ jobId }) => jobId));
  const phantoms = facts.jobs.filter(({ jobId }) => !accepted.has(jobId));
  const lost = [...accepted].filter((jobId) => !known.has(jobId));
  const completed = facts.jobs.filter(({ state }) => state === 'completed').length;
  const used = facts.of('usage').at(-1)?.jobs;
  return [
    ...phantoms.map(({ jobId }) => `${jobId} exists though no answer names it`),
    ...lost.map((jobId) => `${jobId} was accepted and does not exist`),
    ...facts.jobs.flatMap((job) => outcomeViolations(job, facts.expectedByKey.get(job.idempotencyKey ?? ''))),
    ...(used === completed ? [] : [`${used} usage records for ${completed} completed jobs`]),
  ];
}

function outcomeViolations(job: Fact<'job'>, expected: { state: string; pages: number } | undefined): string[] {
  if (expected === undefined) return [];
  const { jobId, state, pages } = job;
  if (state !== expected.state) return [`${jobId} is ${state}, not ${expected.state}`];
  return pages === expected.pages ? [] : [`${jobId} has ${pages} pages, not ${expected.pages}`];
}

function eventViolations(facts: Facts, endpoints: readonly string[]): string[] {
  const channels = new Map<string, Map<string, Set<string>>>([['topic', new Map()]]);
  for (const endpoint of endpoints) channels.set(endpoint, new Map());
  for (const { jobId = '', eventId } of facts.of('record')) add(channels.get('topic'), jobId, eventId);
  for (const { endpoint, jobId = '', eventId, answered } of facts.of('delivery')) {
    if (answered === '200') add(channels.get(endpoint), jobId, eventId);
  }
  const forged = facts.of('delivery').filter(({ answered }) => answered === 'not genuine');
  return [
    ...facts.jobs.flatMap(({ jobId }) => channelViolations(jobId, channels)),
    ...strangers(facts, channels),
    ...forged.map(({ endpoint, eventId }) => `${endpoint} got ${eventId} with a signature or id that is not right`),
  ];
}

function add(events: Map<string, Set<string>> | undefined, jobId: string, eventId: string): void {
  events?.set(jobId, (events.get(jobId) ?? new Set()).add(eventId));
}

function channelViolations(jobId: string, channels: ReadonlyMap<string, Map<string, Set<string>>>): string[] {
  const violations: string[] = [];
  const all = new Set<string>();
  for (const [channel, events] of channels) {
    const ids = events.get(jobId) ?? new Set();
    for (const id of ids) all.add(id);
    if (ids.size === 0) violations.push(`${channel} was never told the end of ${jobId}`);
  }
  if (all.size > 1) violations.push(`the end of ${jobId} has ${all.size} event ids: ${[...all].join(', ')}`);
  return violations;
}

function strangers(facts: Facts, channels: ReadonlyMap<string, Map<string, Set<string>>>): string[] {
  const known = new Set(facts.jobs.map(({ jobId }) => jobId));
  return [...channels].flatMap(([channel, events]) =>
    [...events.keys()]
      .filter((jobId) => !known.has(jobId))
      .map((jobId) => `${channel} was told of ${jobId}, which does not exist`),
  );
}

function outputViolations(facts: Facts): string[] {
  return facts
    .of('output')
    .filter(({ sha256, receivedSha256 }) => sha256 !== receivedSha256)
    .map(({ jobId, index, receivedSha256 }) =>
      receivedSha256 === ''
        ? `output ${index} of ${jobId} cannot be downloaded`
        : `output ${index} of ${jobId} has other bytes than its job says`,
    );
}

function runViolations(facts: Facts, hits: ReturnType<Facts['jobsHit']>, options: KillsJudgeOptions): string[] {
  const kills = facts.of('kill');
  const killedAt = new Set(kills.map(({ point }) => point));
  const hit = new Set([...hits.attempts, ...hits.deliveries]).size;
  const violations = endViolations(facts);
  if (kills.length < options.kills) violations.push(`${kills.length} of ${options.kills} kills were done`);
  for (const point of options.points) if (!killedAt.has(point)) violations.push(`no kill happened at: ${point}`);
  if (!(hit > leastHitShare * facts.jobs.length)) {
    violations.push(`the kills were not real: ${hit} of ${facts.jobs.length} jobs needed a second attempt or delivery`);
  }
  return violations;
}

function figuresOf(facts: Facts, hits: ReturnType<Facts['jobsHit']>): Judgement['figures'] {
  const share = (jobs: number): string => `${jobs} (${((100 * jobs) / Math.max(1, facts.jobs.length)).toFixed(1)} %)`;
  const inState = (wanted: string): number => facts.jobs.filter(({ state }) => state === wanted).length;
  const deliveries = facts.of('delivery');
  const distinct = (ids: readonly string[]): number => new Set(ids).size;
  const both = new Set([...hits.attempts, ...hits.deliveries]).size;
  return [
    ['keys', String(facts.expectedByKey.size)],
    ['requests sent', String([...facts.requests.values()].filter(({ expects }) => expects !== undefined).length)],
    ['requests cut off', String(facts.cutRequests())],
    ['replayed answers', String(facts.replays())],
    ['accepted jobs', String(facts.acceptedJobIds().size)],
    ['completed', String(inState('completed'))],
    ['failed as expected', String(inState('failed'))],
    ['usage records', String(facts.of('usage').at(-1)?.jobs ?? 0)],
    [
      'event ids on the topic',
      `${distinct(facts.of('record').map(({ eventId }) => eventId))} in ${facts.of('record').length} records`,
    ],
    [
      'event ids at endpoints',
      `${distinct(deliveries.map(({ eventId }) => eventId))} in ${deliveries.length} requests`,
    ],
    ['outputs downloaded', String(facts.of('output').length)],
    ['jobs with a second attempt', share(hits.attempts.size)],
    ['jobs with a second delivery', share(hits.deliveries.size)],
    ['jobs with either', share(both)],
    ...killFigures(facts),
  ];
}
