import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Accounts, their API keys, and what the installation knows of itself. */
export class CreateAccounts1764460800000 implements MigrationInterface {
  readonly name = 'CreateAccounts1764460800000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
-- UUIDv7 (RFC 9562, section 5.7) on every Postgres from 15 on: time in milliseconds, then random bits.
CREATE FUNCTION new_uuid_v7() RETURNS uuid LANGUAGE sql VOLATILE PARALLEL SAFE AS $$
  SELECT encode(
    set_bit(set_bit(
      overlay(uuid_send(gen_random_uuid())
        PLACING substring(int8send((extract(epoch FROM clock_timestamp()) * 1000)::bigint) FROM 3)
        FROM 1 FOR 6),
      52, 1), 53, 1),
    'hex')::uuid
$$;

CREATE TABLE installation (
  name  text CONSTRAINT installation_pkey PRIMARY KEY,
  value text NOT NULL
);

CREATE TABLE accounts (
  id         uuid CONSTRAINT accounts_pkey PRIMARY KEY,
  name       text NOT NULL CONSTRAINT accounts_name_is_unique UNIQUE,
  created_at timestamptz(3) NOT NULL DEFAULT now()
);

CREATE TABLE api_keys (
  id            uuid CONSTRAINT api_keys_pkey PRIMARY KEY,
  account_id    uuid NOT NULL CONSTRAINT api_keys_account_exists REFERENCES accounts,
  name          text NOT NULL,
  secret_sha256 bytea NOT NULL CONSTRAINT api_keys_secret_is_unique UNIQUE,
  scopes        text[] NOT NULL,
  created_at    timestamptz(3) NOT NULL DEFAULT now(),
  last_used_at  timestamptz(3),
  revoked_at    timestamptz(3)
);
CREATE INDEX api_keys_by_account ON api_keys (account_id, id);
`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE api_keys, accounts, installation; DROP FUNCTION new_uuid_v7();');
  }
}
