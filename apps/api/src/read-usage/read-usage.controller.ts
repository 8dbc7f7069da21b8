import { refusedAt, routes, validate } from '#libs/contract';
import { UsageStore, type UsageRow } from '#libs/persistence';
import { Controller, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { Handles } from '../http/handles.js';
import { callerOf } from '../http/request-context.js';

const defaultDays = 30;
const mostDays = 400;
const dayMs = 86_400_000;

/** Reads usage: the last 30 days where nothing else is asked for. */
@Controller()
export class ReadUsageController {
  constructor(private readonly usage: UsageStore) {}

  @Handles(routes.readUsage)
  async read(@Req() request: FastifyRequest) {
    const query = validate(routes.readUsage.query, request.query, 'query');
    const to = query.to === undefined ? new Date() : new Date(query.to);
    const from = query.from === undefined ? new Date(to.getTime() - defaultDays * dayMs) : new Date(query.from);
    checkSpan(from, to);
    const rows = await this.usage.report(callerOf(request).accountId, from, to);
    return {
      object: 'usage' as const,
      from: from.toISOString(),
      to: to.toISOString(),
      data: rows.map(rowView),
      total: sums(rows),
    };
  }
}

function checkSpan(from: Date, to: Date): void {
  const span = to.getTime() - from.getTime();
  if (span > 0 && span <= mostDays * dayMs) return;
  throw refusedAt('invalid_request', 'query:from', `must be before to, by at most ${mostDays} days`);
}

function rowView(row: UsageRow) {
  return { date: row.date, operation: row.operation, ...sums([row]) };
}

function sums(rows: readonly UsageRow[]) {
  const sum = (count: (row: UsageRow) => number) => rows.reduce((total, row) => total + count(row), 0);
  return {
    jobs: sum((row) => row.jobs),
    pages: sum((row) => row.pages),
    input_bytes: sum((row) => row.inputBytes),
    output_bytes: sum((row) => row.outputBytes),
  };
}
