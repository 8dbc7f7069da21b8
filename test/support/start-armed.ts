import { writeSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { armFailpoints, type FailpointName, failpointNames } from '#libs/failpoints';

/**
 * Starts an app (ARMED_ENTRY, the path of its built main.js) with the failpoints of FAILPOINT armed: orders `name:action[:nth]`, separated by
 * commas. Actions: `kill` (SIGKILL to itself), `hang` (never goes on), `pause=<ms>`. Without `nth` the first reaching counts. Each order is carried
 * out once and told on standard output before it is. An empty FAILPOINT arms nothing.
 */
interface Order {
  readonly name: FailpointName;
  readonly action: string;
  readonly nth: number;
}

const orderPattern = /^(?<name>[a-z.-]+):(?<action>kill|hang|pause=\d{1,6})(?::(?<nth>[1-9]\d{0,5}))?$/;

function readOrder(text: string): Order {
  const { name: given, action, nth = '1' } = orderPattern.exec(text.trim())?.groups ?? {};
  const name = failpointNames.find((known) => known === given);
  if (name === undefined || action === undefined) throw new Error(`FAILPOINT: ${JSON.stringify(text)} is no order`);
  return { name, action, nth: Number(nth) };
}

async function carryOut({ name, action }: Order): Promise<void> {
  writeSync(1, `${JSON.stringify({ msg: 'failpoint.reached', failpoint: name, action, pid: process.pid })}\n`);
  if (action === 'kill') process.kill(process.pid, 'SIGKILL');
  if (action.startsWith('pause=')) await pause(Number(action.slice('pause='.length)));
  else await new Promise(() => undefined);
}

function arm(orders: readonly Order[]): void {
  const reached = new Map<FailpointName, number>();
  armFailpoints(async (name) => {
    const count = (reached.get(name) ?? 0) + 1;
    reached.set(name, count);
    const order = orders.find((each) => each.name === name && each.nth === count);
    if (order !== undefined) await carryOut(order);
  });
}

const { FAILPOINT = '', ARMED_ENTRY } = process.env;
if (ARMED_ENTRY === undefined) throw new Error('ARMED_ENTRY is not set');
if (FAILPOINT.trim() !== '') arm(FAILPOINT.split(',').map(readOrder));
await import(pathToFileURL(ARMED_ENTRY).href);
