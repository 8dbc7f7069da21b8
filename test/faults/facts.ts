import type { HistoryEntry, HistoryFact } from '../support/history.js';

/** What a run came to: numbers for people, and every broken promise as a sentence. */
export interface Judgement {
  readonly figures: readonly (readonly [name: string, value: string])[];
  readonly violations: readonly string[];
}

/** Lines of a history that tell of one kind of thing. */
export type Fact<T extends HistoryFact['type']> = Extract<HistoryEntry, { readonly type: T }>;
export type Answered = Extract<HistoryEntry, { readonly type: 'answer'; readonly status: number }>;

/** The history, in the groups that the rules ask for. */
export class Facts {
  readonly requests = new Map<string, Fact<'request'>>();
  readonly acceptedByKey = new Map<string, Answered[]>();
  readonly expectedByKey = new Map<string, { state: string; pages: number }>();
  readonly jobs: readonly Fact<'job'>[];

  constructor(readonly history: readonly HistoryEntry[]) {
    for (const request of this.of('request')) this.#addRequest(request);
    for (const answer of this.of('answer')) if ('status' in answer && answer.status < 300) this.#addAccepted(answer);
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
    const key = this.keyOf(answer.request);
    const accepted = this.acceptedByKey.get(key);
    if (accepted === undefined) this.acceptedByKey.set(key, [answer]);
    else accepted.push(answer);
  }

  /** The idempotency key of a request, `''` without one. */
  keyOf(request: string): string {
    return this.requests.get(request)?.idempotencyKey ?? '';
  }

  /** Which body a request had, `''` when it is the only one under its key. */
  payloadOf(request: string): string {
    return this.requests.get(request)?.payload ?? '';
  }

  acceptedPayloads(key: string): Set<string> {
    return new Set((this.acceptedByKey.get(key) ?? []).map(({ request }) => this.payloadOf(request)));
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

/** Keys under which more than one thing was accepted, or one in more than one way. */
export function replayViolations(facts: Facts): string[] {
  const violations: string[] = [];
  for (const [key, answers] of facts.acceptedByKey) {
    const ids = new Set(answers.map(({ jobId, location }) => jobId ?? location ?? ''));
    const bodies = new Set(answers.map(({ bodySha256, status }) => `${status} ${bodySha256}`));
    const firsts = answers.filter(({ isReplay }) => isReplay !== true).length;
    if (ids.size > 1) violations.push(`${key} was accepted as ${ids.size} things: ${[...ids].join(', ')}`);
    if (bodies.size > 1) violations.push(`${key} got ${bodies.size} different answers`);
    if (firsts > 1) violations.push(`${key} got ${firsts} answers that claim to be the first`);
  }
  return violations;
}

/** Answers that a client must not get while processes and servers fail: all but an acceptance and those that `isDue` names. */
export function refusalViolations(facts: Facts): string[] {
  return facts
    .of('answer')
    .flatMap((answer) => ('status' in answer && answer.status >= 300 && !isDue(answer, facts) ? [answer] : []))
    .map(({ request, status, code = '' }) => `${request} was refused: ${status} ${code}`);
}

/** Repeating helps, or the key was accepted with another body. */
function isDue({ request, status, code = '' }: Answered, facts: Facts): boolean {
  const payload = facts.payloadOf(request);
  switch (`${status} ${code}`) {
    case '503 unavailable':
    case '409 idempotency_key_in_use':
      return true;
    case '409 idempotency_key_reused':
      return payload !== '' && !facts.acceptedPayloads(facts.keyOf(request)).has(payload);
    default:
      return false;
  }
}

/** What logs say that none should say. */
export function complaintViolations(facts: Facts): string[] {
  return facts.of('complaint').map(({ process, text }) => `${process} logged: ${text}`);
}

/** Processes that nobody killed. */
export function endViolations(facts: Facts): string[] {
  return facts.of('end').map(({ process, code, signal }) => `${process} ended by itself: ${code ?? signal}`);
}

/** How many kills there were, and of whom at which moment. */
export function killFigures(facts: Facts): [string, string][] {
  const counts = new Map<string, number>();
  for (const kill of facts.of('kill')) counts.set(pointOf(kill), (counts.get(pointOf(kill)) ?? 0) + 1);
  const sorted = [...counts].sort(([left], [right]) => left.localeCompare(right));
  return [
    ['kills', String(facts.of('kill').length)],
    ...sorted.map(([point, kills]): [string, string] => [`  ${point}`, String(kills)]),
  ];
}

function pointOf({ process, point }: Fact<'kill'>): string {
  return `${process.replace(/-\d+$/, '')} ${point ?? 'at random'}`;
}
