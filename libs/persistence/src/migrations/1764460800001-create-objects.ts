import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Stored objects, the list of objects to delete, and uploaded files. */
export class CreateObjects1764460800001 implements MigrationInterface {
  readonly name = 'CreateObjects1764460800001';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
-- Every upload and every output is a row here before its first byte. Only the garbage collector deletes one, and the foreign keys of those
-- who refer to it decide whether it may.
CREATE TABLE objects (
  id           uuid CONSTRAINT objects_pkey PRIMARY KEY,
  account_id   uuid NOT NULL CONSTRAINT objects_account_exists REFERENCES accounts,
  name         text NOT NULL CONSTRAINT objects_name_is_unique UNIQUE,
  purpose      text NOT NULL CONSTRAINT objects_purpose_is_known CHECK (purpose IN ('upload', 'output')),
  job_id       uuid,
  claim        integer,
  size         bigint,
  sha256       bytea,
  created_at   timestamptz(3) NOT NULL DEFAULT now(),
  completed_at timestamptz(3),
  CONSTRAINT objects_output_names_its_claim CHECK ((purpose = 'output') = (job_id IS NOT NULL AND claim IS NOT NULL)),
  CONSTRAINT objects_complete_has_size_and_hash
    CHECK ((completed_at IS NULL) = (size IS NULL) AND (completed_at IS NULL) = (sha256 IS NULL))
);

-- Rows leave objects in the statement that names them here; the entry goes once the stored object is gone.
CREATE TABLE deleted_objects (
  name       text CONSTRAINT deleted_objects_pkey PRIMARY KEY,
  deleted_at timestamptz(3) NOT NULL DEFAULT now()
);

CREATE TABLE files (
  id         uuid CONSTRAINT files_pkey PRIMARY KEY,
  account_id uuid NOT NULL CONSTRAINT files_account_exists REFERENCES accounts,
  object_id  uuid NOT NULL CONSTRAINT files_object_exists REFERENCES objects,
  name       text NOT NULL,
  media_type text NOT NULL,
  size       bigint NOT NULL,
  sha256     bytea NOT NULL,
  created_at timestamptz(3) NOT NULL,
  expires_at timestamptz(3) NOT NULL
);
CREATE INDEX files_by_object ON files (object_id);
CREATE INDEX files_by_expiry ON files (expires_at);
`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE files, deleted_objects, objects;');
  }
}
