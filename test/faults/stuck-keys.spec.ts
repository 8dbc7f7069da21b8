import type { HistoryEntry, HistoryFact } from '../support/history.js';
import { longestStuck } from './stuck-keys.js';

const common = { method: 'POST', path: '/v1/jobs', idempotencyKey: 'k' };
const sent = (at: number, request: string): HistoryEntry => ({ at, type: 'request', request, ...common });
const cut = (at: number, request: string): HistoryEntry => ({ at, type: 'answer', request, error: 'ECONNRESET' });
const got = (at: number, request: string, status: number, code = ''): HistoryEntry => ({
  ...{ at, type: 'answer', request, status, code },
});
const api = (at: number, type: 'ready' | 'stop' | 'continue', process: string): HistoryEntry => ({
  ...{ at, type, process, pid: 1 },
});
const kill = (at: number, process: string): HistoryEntry => ({
  ...{ at, type: 'kill', process, pid: 1, signal: 'SIGKILL' },
});
const terminate = (at: number): HistoryEntry => ({ at, ...({ type: 'terminate', backends: 1 } satisfies HistoryFact) });

const up = [api(0, 'ready', 'api-1'), api(0, 'ready', 'api-2')];

describe('longestStuck', () => {
  it('counts from the cut to the decision, and the answers that only say to wait', () => {
    const waits = [got(700, 'b', 409, 'idempotency_key_in_use'), sent(750, 'c'), got(800, 'c', 503), sent(850, 'd')];
    const history = [...up, sent(10, 'a'), cut(100, 'a'), sent(150, 'b'), ...waits, got(900, 'd', 202)];
    expect(longestStuck(history)).toEqual({ key: 'k', ms: 800, wholeMs: 800, interruptions: 1 });
  });

  it('counts a refusal as another request as a decision', () => {
    const history = [...up, sent(10, 'a'), cut(100, 'a'), sent(150, 'b'), got(400, 'b', 409, 'idempotency_key_reused')];
    expect(longestStuck(history).ms).toBe(300);
  });

  it('does not count while no API is up', () => {
    const down = [kill(20, 'api-1'), api(90, 'stop', 'api-2'), api(600, 'continue', 'api-2')];
    const history = [...up, sent(10, 'a'), ...down.slice(0, 2), cut(100, 'a'), ...down.slice(2), sent(610, 'b')];
    expect(longestStuck([...history, got(700, 'b', 202)])).toMatchObject({ ms: 100, wholeMs: 600 });
  });

  it('does not count a retry that was cut off itself, unless another one was waiting meanwhile', () => {
    const first = [...up, sent(10, 'a'), cut(100, 'a'), sent(120, 'b')];
    const alone = [...first, cut(1_000, 'b'), sent(1_010, 'c'), got(1_050, 'c', 202)];
    expect(longestStuck(alone)).toMatchObject({ ms: 70, wholeMs: 950 });
    const beside = [...first, sent(130, 'd'), cut(1_000, 'b'), got(1_050, 'd', 202)];
    expect(longestStuck(beside)).toMatchObject({ ms: 940, wholeMs: 950 });
  });

  it('counts from the end of sessions for every request under way', () => {
    const history = [...up, sent(10, 'a'), terminate(50), got(60, 'a', 503), sent(80, 'b'), got(250, 'b', 202)];
    expect(longestStuck(history).ms).toBe(200);
  });

  it('takes no notice of what becomes of a request that was given up before', () => {
    const history = [
      ...up,
      sent(10, 'a'),
      cut(20, 'a'),
      sent(30, 'b'),
      got(40, 'b', 202),
      cut(900, 'a'),
      sent(1_500, 'c'),
    ];
    expect(longestStuck([...history, got(1_510, 'c', 202)])).toMatchObject({ ms: 20, interruptions: 1 });
  });
});
