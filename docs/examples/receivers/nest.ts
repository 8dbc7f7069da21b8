import 'reflect-metadata';
import { Controller, Inject, Module, Post, type RawBodyRequest, Req, Res } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { type Connection, inboxTable, PostgresInbox, purgeInbox, receive, type WebhookEvent } from '@pdfonce/receiver';
import type { FastifyReply, FastifyRequest } from 'fastify';
import pg from 'pg';

const { WEBHOOK_SECRET = '', DATABASE_URL, PORT = '4000' } = process.env;
if (WEBHOOK_SECRET === '') throw new Error('WEBHOOK_SECRET is not set');

async function openInbox(): Promise<PostgresInbox> {
  const pool = new pg.Pool({ connectionString: DATABASE_URL });
  // An idle connection that breaks is only reported here. Without this line it would end the process.
  pool.on('error', (error) => console.error('connection lost:', error.message));
  await pool.query(inboxTable);
  await pool.query('CREATE TABLE IF NOT EXISTS finished_jobs (id text, state text)');
  setInterval(() => void purgeInbox(pool).catch(console.error), 86_400_000).unref();
  return new PostgresInbox(pool);
}

/** The effect of an event. It writes by the connection that it is given, so it happens once. */
async function handle(event: WebhookEvent, transaction: Connection): Promise<void> {
  if (event.type !== 'job.completed' && event.type !== 'job.failed') return;
  const { id, state } = event.data;
  await transaction.query('INSERT INTO finished_jobs (id, state) VALUES ($1, $2)', [id, state]);
}

@Controller('hooks/pdfonce')
class WebhooksController {
  constructor(@Inject(PostgresInbox) private readonly inbox: PostgresInbox) {}

  @Post()
  async receive(
    @Req() request: RawBodyRequest<FastifyRequest>,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<void> {
    const { headers, rawBody = '' } = request;
    const secrets = WEBHOOK_SECRET.split(' ');
    const reception = await receive({ headers, rawBody, secrets, inbox: this.inbox, handle });
    if (reception.outcome === 'failed') console.error(reception.error);
    console.log(reception.outcome, 'event' in reception ? reception.event.id : reception.error.reason);
    reply.status(reception.status);
  }
}

@Module({ controllers: [WebhooksController], providers: [{ provide: PostgresInbox, useFactory: openInbox }] })
class ReceiverModule {}

const app = await NestFactory.create<NestFastifyApplication>(ReceiverModule, new FastifyAdapter(), {
  logger: ['error'],
  // Keeps the bytes of each body beside what is parsed from them. With Express in place of Fastify the option is the same.
  rawBody: true,
});
await app.listen(Number(PORT), '127.0.0.1');
console.log('listening');
