import { statement } from '../database/statement.js';

/** The condition of the indexes of jobs that wait for a worker. */
const queued = "state = 'queued' AND NOT awaits_inputs";
const ready = `${queued} AND ready_at <= now()::timestamptz(3)`;

/** How many more than are asked for are looked at, since other workers may have them locked: accounts, and jobs of each. */
const spareAccounts = 4;
const spareJobs = 16;

/**
 * Takes at most $1 ready jobs for $2 ms. `now()::timestamptz(3)` is rounded as `ready_at` was, so a job is ready from the moment it is
 * committed.
 *
 * `named`: those of the job ids $4 that are ready, unless another job has been ready for longer than $5 ms. Without any of them, `round` goes
 * from account to account with queued jobs, beginning behind account $3 and ending with it (lap 1 is the part from the first account on), one
 * index probe each, until $1 and some to spare have ready jobs. `candidate` takes the oldest of every account first, then every second oldest,
 * with some to spare for rows that other workers hold locked. `awaited_input` are the inputs that were to be
 * made by other jobs, with the documents that were made; `taken_over` makes those the job's. A job that misses one is not `startable`: it is
 * claimed to be failed, and makes no attempt.
 */
export const claimJobs = statement(
  'claim-jobs',
  `
WITH RECURSIVE named AS (
  SELECT id, row_number() OVER (ORDER BY ready_at, id) AS turn
  FROM jobs
  WHERE id = ANY($4::uuid[]) AND ${ready}
    AND coalesce(now() - $5::float8 * interval '1 millisecond' <= (
      SELECT ready_at FROM jobs WHERE ${queued} AND id <> ALL($4::uuid[]) ORDER BY ready_at LIMIT 1
    ), true)
), round (account_id, is_ready, lap, step, ready_accounts) AS (
  SELECT $3::uuid, false, 0, 0, 0 WHERE NOT EXISTS (SELECT FROM named)
  UNION ALL
  SELECT next.account_id, next.is_ready, next.lap, round.step + 1, round.ready_accounts + next.is_ready::integer
  FROM round
  CROSS JOIN LATERAL (
    (
      SELECT account_id, ready_at <= now()::timestamptz(3) AS is_ready, round.lap
      FROM jobs
      WHERE ${queued} AND account_id > round.account_id AND (round.lap = 0 OR account_id <= $3)
      ORDER BY account_id, ready_at LIMIT 1
    )
    UNION ALL
    (
      SELECT account_id, ready_at <= now()::timestamptz(3), 1
      FROM jobs
      WHERE ${queued} AND round.lap = 0 AND account_id <= $3
      ORDER BY account_id, ready_at LIMIT 1
    )
    ORDER BY lap LIMIT 1
  ) AS next
  WHERE round.ready_accounts < $1 + ${spareAccounts}
), candidate AS (
  SELECT id, turn FROM named
  UNION ALL
  SELECT oldest.id, row_number() OVER (ORDER BY oldest.rank, round.step)
  FROM round
  CROSS JOIN LATERAL (
    SELECT id, row_number() OVER (ORDER BY ready_at, id) AS rank FROM jobs
    WHERE account_id = round.account_id AND ${ready}
    ORDER BY ready_at, id LIMIT $1 + ${spareJobs}
  ) AS oldest
  WHERE round.is_ready
), wanted AS (
  SELECT array_agg(id ORDER BY turn) AS ids FROM candidate
), taken AS (
  SELECT id, array_position((SELECT ids FROM wanted), id) AS turn
  FROM jobs
  WHERE id = ANY((SELECT ids FROM wanted)::uuid[]) AND ${ready}
  ORDER BY turn
  LIMIT $1
  FOR NO KEY UPDATE SKIP LOCKED
), awaited_input AS (
  SELECT input.job_id, input.index, output.name, output.media_type, output.size, output.sha256, output.object_id
  FROM taken
  JOIN job_inputs AS input ON input.job_id = taken.id AND input.object_id IS NULL AND input.source_job_id IS NOT NULL
  LEFT JOIN job_outputs AS output ON output.job_id = input.source_job_id AND output.index = input.source_output
), taken_over AS (
  UPDATE job_inputs AS input
  SET name = made.name, media_type = made.media_type, size = made.size, sha256 = made.sha256, object_id = made.object_id
  FROM awaited_input AS made WHERE (input.job_id, input.index) = (made.job_id, made.index) AND made.object_id IS NOT NULL
), startable AS (
  SELECT id, turn, NOT EXISTS (SELECT FROM awaited_input WHERE job_id = taken.id AND object_id IS NULL) AS can_start FROM taken
), claimed AS (
  UPDATE jobs
  SET state = 'processing', claim = claim + 1, lease_until = now() + $2::float8 * interval '1 millisecond',
      attempt = attempt + can_start::integer, started_at = CASE WHEN can_start THEN coalesce(started_at, now()) ELSE started_at END
  FROM startable WHERE jobs.id = startable.id
  RETURNING jobs.*, startable.turn, can_start
), attempt AS (
  INSERT INTO job_attempts (job_id, claim, number) SELECT id, claim, attempt FROM claimed WHERE can_start
)
SELECT claimed.id, claim, attempt, account_id, operation, options, progress_total,
       extract(epoch FROM now() - ready_at)::float8 * 1000 AS waited_ms,
       (SELECT count(*) > 0 FROM named) AS is_named,
       coalesce(inputs.list, '[]') AS inputs
FROM claimed
LEFT JOIN LATERAL (
  SELECT json_agg(json_build_object(
      'name', coalesce(made.name, input.name), 'objectName', object.name,
      'url', CASE WHEN object.id IS NULL THEN input.url END,
      'pages', input.pages, 'sealedPassword', input.sealed_password,
      'missing', CASE WHEN made.job_id IS NOT NULL AND made.object_id IS NULL THEN json_build_object(
        'jobId', input.source_job_id, 'output', input.source_output,
        'state', (SELECT state FROM jobs AS source WHERE source.id = input.source_job_id)) END
    ) ORDER BY input.index) AS list
  FROM job_inputs AS input
  LEFT JOIN awaited_input AS made ON (made.job_id, made.index) = (input.job_id, input.index)
  LEFT JOIN objects AS object ON object.id = coalesce(made.object_id, input.object_id)
  WHERE input.job_id = claimed.id
) AS inputs ON true
ORDER BY claimed.turn`,
);
