import type { HistoryEntry, HistoryFact } from '../support/history.js';

/** What a run came to: numbers for people, and every broken promise as a sentence. */
export interface Judgement {
  readonly figures: readonly (readonly [name: string, value: string])[];
  readonly violations: readonly string[];
}

export interface JudgeOptions {
  /** Names of the webhook endpoints: each must have got every event. */
  readonly endpoints: readonly string[];
  /** How many kills were asked for. */
  readonly kills: number;
  /** Moments at which some process must have been killed; empty when the run is too short for that. */
  readonly points: readonly string[];
}

type Fact<T extends HistoryFact['type']> = Extract<HistoryEntry, { readonly type: T }>;
type Answered = Extract<HistoryEntry, { readonly status: number }>;

/** Share of the jobs that must have needed a second attempt or delivery because of a kill. */
const leastHitShare = 0.1;

/** Judges a run by its history alone. */
export function judge(history: readonly HistoryEntry[], options: JudgeOptions): Judgement {
  const facts = new Facts(history);
  const hits = facts.jobsHit();
  return {
    figures: figuresOf(facts, hits),
    violations: [
      ...admissionViolations(facts),
      ...jobViolations(facts),
      ...eventViolations(facts, options.endpoints),
      ...outputViolations(facts),
      ...runViolations(facts, hits, options),
    ],
  };
}

/** The history, in the groups that the rules ask for. */
class Facts {
  readonly requests = new Map<string, Fact<'request'>>();
  readonly acceptedByKey = new Map<string, Answered[]>();
  readonly expectedByKey = new Map<string, { state: string; pages: number }>();
  readonly jobs: readonly Fact<'job'>[];

  constructor(readonly history: readonly HistoryEntry[]) {
    for (const request of this.of('request')) this.#addRequest(request);
    for (const answer of this.of('answer')) if ('status' in answer && answer.status === 202) this.#addAccepted(answer);
    this.jobs = this.of('job');
  }

  of<T extends HistoryFact['type']>(type: T): Fact<T>[] {
    return this.history.filter((entry): entry is Fact<T> => entry.type === type);
  }

  #addRequest(request: Fact<'request'>): void {
    const { idempotencyKey, expects } = request;
    this.requests.set(request.request, request);
    if (idempotencyKey !== undefined && expects !== undefined) this.expectedByKey.set(idempotencyKey, expects);
  }

  #addAccepted(answer: Answered): void {
    const key = this.requests.get(answer.request)?.idempotencyKey ?? '';
    this.acceptedByKey.set(key, [...(this.acceptedByKey.get(key) ?? []), answer]);
  }

  acceptedJobIds(): Set<string> {
    return new Set([...this.acceptedByKey.values()].flat().flatMap(({ jobId }) => jobId ?? []));
  }

  /** Requests that got no answer because the API died. */
  cutRequests(): number {
    return this.of('answer').filter((answer) => 'error' in answer).length;
  }

  replays(): number {
    return [...this.acceptedByKey.values()].flat().filter(({ isReplay }) => isReplay === true).length;
  }

  /** Jobs with a second attempt, and with a delivery that came again though its receiver had refused nothing. */
  jobsHit(): { readonly attempts: Set<string>; readonly deliveries: Set<string> } {
    const attempts = new Set(this.jobs.filter(({ attempt }) => attempt > 1).map(({ jobId }) => jobId));
    const deliveries = new Set<string>();
    const told = new Set<string>();
    for (const { endpoint, eventId, jobId, answered } of this.of('delivery')) {
      if (answered !== '200') continue;
      const delivery = `${endpoint} ${eventId}`;
      if (told.has(delivery) && jobId !== undefined) deliveries.add(jobId);
      told.add(delivery);
    }
    return { attempts, deliveries };
  }
}

function admissionViolations(facts: Facts): string[] {
  const violations: string[] = [];
  for (const [key, answers] of facts.acceptedByKey) {
    const ids = new Set(answers.map(({ jobId }) => jobId));
    const bodies = new Set(answers.map(({ bodySha256 }) => bodySha256));
    const firsts = answers.filter(({ isReplay }) => isReplay !== true).length;
    if (ids.size > 1) violations.push(`${key} was accepted as ${ids.size} jobs: ${[...ids].join(', ')}`);
    if (bodies.size > 1) violations.push(`${key} got ${bodies.size} different answers`);
    if (firsts > 1) violations.push(`${key} got ${firsts} answers that claim to be the first`);
  }
  for (const key of facts.expectedByKey.keys()) {
    if (!facts.acceptedByKey.has(key)) violations.push(`${key} was never accepted`);
  }
  return [...violations, ...refusals(facts)];
}

function refusals(facts: Facts): string[] {
  const isPassing = (answer: { readonly status: number; readonly code?: string }): boolean =>
    answer.status < 400 || answer.status >= 500 || answer.code === 'idempotency_key_in_use';
  return facts
    .of('answer')
    .flatMap((answer) => ('status' in answer && !isPassing(answer) ? [answer] : []))
    .map(({ request, status, code }) => `${request} was refused: ${status} ${code ?? ''}`);
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
    ...facts.jobs.flatMap((job) => endViolations(job, facts.expectedByKey.get(job.idempotencyKey ?? ''))),
    ...(used === completed ? [] : [`${used} usage records for ${completed} completed jobs`]),
  ];
}

function endViolations(job: Fact<'job'>, expected: { state: string; pages: number } | undefined): string[] {
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

function runViolations(facts: Facts, hits: ReturnType<Facts['jobsHit']>, options: JudgeOptions): string[] {
  const kills = facts.of('kill');
  const killedAt = new Set(kills.map(({ point }) => point));
  const hit = new Set([...hits.attempts, ...hits.deliveries]).size;
  const violations = facts
    .of('end')
    .map(({ process, code, signal }) => `${process} ended by itself: ${code ?? signal}`);
  if (kills.length < options.kills) violations.push(`${kills.length} of ${options.kills} kills were done`);
  for (const point of options.points) if (!killedAt.has(point)) violations.push(`no kill happened at: ${point}`);
  if (!(hit > leastHitShare * facts.jobs.length)) {
    violations.push(`the kills were not real: ${hit} of ${facts.jobs.length} jobs needed a second attempt or delivery`);
  }
  return violations;
}

function pointOf({ process, point }: Fact<'kill'>): string {
  return `${process.replace(/-\d+$/, '')} ${point ?? 'at random'}`;
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

function killFigures(facts: Facts): [string, string][] {
  const counts = new Map<string, number>();
  for (const kill of facts.of('kill')) counts.set(pointOf(kill), (counts.get(pointOf(kill)) ?? 0) + 1);
  const sorted = [...counts].sort(([left], [right]) => left.localeCompare(right));
  return [
    ['kills', String(facts.of('kill').length)],
    ...sorted.map(([point, kills]): [string, string] => [`  ${point}`, String(kills)]),
  ];
}
