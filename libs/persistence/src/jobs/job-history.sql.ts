import { statement } from '../database/statement.js';

/** What happened to a job, all of one snapshot. An attempt that was made is a row, also when its worker was never heard of again. */
export const readJobHistory = statement(
  'read-job-history',
  `
SELECT job.created_at,
       (SELECT coalesce(json_agg(json_build_object(
                 'number', number, 'startedAt', started_at, 'endedAt', finished_at, 'outcome', outcome) ORDER BY claim), '[]')
        FROM job_attempts WHERE job_id = job.id) AS attempts,
       (SELECT coalesce(json_agg(json_build_object('id', id, 'type', type, 'occurredAt', occurred_at) ORDER BY id), '[]')
        FROM events WHERE job_id = job.id AND type IN ('job.completed', 'job.failed', 'job.cancelled')) AS events,
       (SELECT coalesce(json_agg(json_build_object(
                 'id', delivery.id, 'eventId', delivery.event_id, 'endpointId', delivery.endpoint_id, 'state', delivery.state,
                 'createdAt', delivery.created_at,
                 'attempts', (SELECT count(*) FROM delivery_attempts WHERE delivery_id = delivery.id))
                 ORDER BY delivery.created_at, delivery.id), '[]')
        FROM events AS event JOIN deliveries AS delivery ON delivery.event_id = event.id
        WHERE event.job_id = job.id AND event.type IN ('job.completed', 'job.failed', 'job.cancelled')) AS deliveries
FROM jobs AS job
WHERE job.id = $2 AND job.account_id = $1`,
);
