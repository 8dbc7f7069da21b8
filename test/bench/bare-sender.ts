import { Agent } from 'undici';

/**
 * What delivering is measured against: undici, which sends one body to receivers in turn, so many at once, and does nothing else. No database, no
 * signature, no record. Prints requests per second and its processor time for each as JSON.
 */
export interface BareSenderOptions {
  readonly urls: readonly string[];
  readonly requests: number;
  readonly atOnce: number;
  readonly body: string;
}

/** What the bare sender prints. */
export interface BareSenderResult {
  readonly perSecond: number;
  readonly cpuMs: number;
}

const { urls, requests, atOnce, body } = JSON.parse(process.argv[2] ?? '') as BareSenderOptions;
const agent = new Agent();
let begun = 0;

async function sendInTurn(): Promise<void> {
  while (begun < requests) {
    const url = new URL(urls[begun++ % urls.length] ?? '');
    const headers = { 'content-type': 'application/json' };
    const answer = await agent.request({ origin: url.origin, path: url.pathname, method: 'POST', headers, body });
    await answer.body.dump();
  }
}

const startedAtMs = performance.now();
const before = process.cpuUsage();
await Promise.all(Array.from({ length: atOnce }, sendInTurn));
const { user, system } = process.cpuUsage(before);
const result: BareSenderResult = {
  perSecond: (1_000 * requests) / (performance.now() - startedAtMs),
  cpuMs: (user + system) / 1_000 / requests,
};
console.log(JSON.stringify(result));
await agent.close();
