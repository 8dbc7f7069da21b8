import { type Statement, statement } from '../database/statement.js';

/** How one table with sealed values is walked: by its primary key, in pages of rows, sealed or not. */
export interface SealedTable {
  readonly name: string;
  /** The columns of its primary key, in the order of its index. */
  readonly key: readonly string[];
  /** The values of $2 rows that follow the one with the key $1 (a JSON array of texts, the first ones when it is empty), with their keys. */
  readonly page: Statement;
  /** Replaces the values $2 by $3 in the rows of the keys $1, where they are still the same. It locks them by their keys in ascending order. */
  readonly replace: Statement;
}

interface TableShape {
  readonly name: string;
  /** The columns of the primary key, each with its type and its least value. */
  readonly key: readonly (readonly [column: string, type: string, least: string])[];
  /** The sealed value as text; `null` in rows that have none. */
  readonly value: string;
  /** Sets the sealed value to that text. */
  readonly set: (text: string) => string;
}

function sealedTable({ name, key, value, set }: TableShape): SealedTable {
  const names = key.map(([column]) => column);
  const columns = names.join(', ');
  const after = key.map(([, type, least], index) => `coalesce($1::jsonb ->> ${index}, '${least}')::${type}`).join(', ');
  const given = key
    .map(([column, type], index) => `held.${column} = (given.place ->> ${index})::${type}`)
    .join(' AND ');
  const same = names.map((column) => `own.${column} = held.${column}`).join(' AND ');
  const place = `jsonb_build_array(${names.map((column) => `${column}::text`).join(', ')})`;
  return {
    name,
    key: names,
    page: statement(
      `read-sealed-${name}`,
      `
SELECT ${place} AS place, ${value} AS sealed FROM ${name}
WHERE (${columns}) > (${after})
ORDER BY ${columns}
LIMIT $2`,
    ),
    replace: statement(
      `replace-sealed-${name}`,
      `
WITH held AS MATERIALIZED (
  SELECT ${columns}, given.fresh
  FROM ${name} AS held
  JOIN unnest($1::jsonb[], $2::text[], $3::text[]) AS given (place, stale, fresh) ON ${given} AND ${value} = given.stale
  ORDER BY ${columns}
  FOR NO KEY UPDATE OF held
)
UPDATE ${name} AS own SET ${set('held.fresh')}
FROM held WHERE ${same}
RETURNING 1 AS replaced`,
    ),
  };
}

const leastUuid = '00000000-0000-0000-0000-000000000000';

/** Every table that has values sealed with `SECRET_KEY`, by what they are. */
export const sealedTables = {
  'endpoint secrets': sealedTable({
    name: 'endpoint_secrets',
    key: [['id', 'uuid', leastUuid]],
    value: 'sealed',
    set: (text) => `sealed = ${text}`,
  }),
  'endpoint headers': sealedTable({
    name: 'webhook_endpoints',
    key: [['id', 'uuid', leastUuid]],
    value: 'sealed_headers',
    set: (text) => `sealed_headers = ${text}`,
  }),
  'passwords of inputs': sealedTable({
    name: 'job_inputs',
    key: [
      ['job_id', 'uuid', leastUuid],
      ['index', 'integer', '-1'],
    ],
    value: 'sealed_password',
    set: (text) => `sealed_password = ${text}`,
  }),
  'stored answers': sealedTable({
    name: 'idempotency_keys',
    key: [
      ['account_id', 'uuid', leastUuid],
      ['key', 'text', ''],
      ['route', 'text', ''],
    ],
    value: `CASE WHEN is_sealed THEN convert_from(body, 'UTF8') END`,
    set: (text) => `body = convert_to(${text}, 'UTF8')`,
  }),
} as const;

/** The keys that links to outputs which have not expired were signed with. */
export const countLinkKeys = statement(
  'count-link-keys',
  'SELECT link_key_id AS key_id, count(*) AS links, max(expires_at) AS until FROM job_outputs WHERE expires_at > now() GROUP BY link_key_id',
);
