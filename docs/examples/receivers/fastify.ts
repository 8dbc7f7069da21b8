import { type Connection, inboxTable, PostgresInbox, purgeInbox, receive, type WebhookEvent } from '@pdfonce/receiver';
import { fastify } from 'fastify';
import pg from 'pg';

const { WEBHOOK_SECRET = '', DATABASE_URL, PORT = '4000' } = process.env;
if (WEBHOOK_SECRET === '') throw new Error('WEBHOOK_SECRET is not set');

const pool = new pg.Pool({ connectionString: DATABASE_URL });
// An idle connection that breaks is only reported here. Without this line it would end the process.
pool.on('error', (error) => console.error('connection lost:', error.message));
await pool.query(inboxTable);
await pool.query('CREATE TABLE IF NOT EXISTS finished_jobs (id text, state text)');

const inbox = new PostgresInbox(pool);
setInterval(() => void purgeInbox(pool).catch(console.error), 86_400_000).unref();

/** The effect of an event. It writes by the connection that it is given, so it happens once. */
async function handle(event: WebhookEvent, transaction: Connection): Promise<void> {
  if (event.type !== 'job.completed' && event.type !== 'job.failed') return;
  const { id, state } = event.data;
  await transaction.query('INSERT INTO finished_jobs (id, state) VALUES ($1, $2)', [id, state]);
}

const app = fastify({ bodyLimit: 100_000 });

// Inside a plugin, so that bodies are left as bytes for this route only.
await app.register(async (hooks) => {
  hooks.removeAllContentTypeParsers();
  hooks.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));

  hooks.post('/hooks/pdfonce', async (request, reply) => {
    const rawBody = (request.body as Buffer | undefined) ?? '';
    const secrets = WEBHOOK_SECRET.split(' ');
    const reception = await receive({ headers: request.headers, rawBody, secrets, inbox, handle });
    if (reception.outcome === 'failed') console.error(reception.error);
    console.log(reception.outcome, 'event' in reception ? reception.event.id : reception.error.reason);
    return reply.status(reception.status).send();
  });
});

await app.listen({ port: Number(PORT), host: '127.0.0.1' });
console.log('listening');
