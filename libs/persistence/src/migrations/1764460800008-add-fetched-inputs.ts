import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Objects that a worker fetches for its claim: the inputs that a job names by URL. */
export class AddFetchedInputs1764460800008 implements MigrationInterface {
  readonly name = 'AddFetchedInputs1764460800008';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
ALTER TABLE objects
  DROP CONSTRAINT objects_purpose_is_known,
  DROP CONSTRAINT objects_output_names_its_claim,
  ADD CONSTRAINT objects_purpose_is_known CHECK (purpose IN ('upload', 'input', 'output')),
  ADD CONSTRAINT objects_made_by_a_worker_names_its_claim
    CHECK ((purpose <> 'upload') = (job_id IS NOT NULL AND claim IS NOT NULL));
`);
  }

  /** An object that was fetched is collected like an output. */
  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
ALTER TABLE objects
  DROP CONSTRAINT objects_purpose_is_known,
  DROP CONSTRAINT objects_made_by_a_worker_names_its_claim;
UPDATE objects SET purpose = 'output' WHERE purpose = 'input';
ALTER TABLE objects
  ADD CONSTRAINT objects_purpose_is_known CHECK (purpose IN ('upload', 'output')),
  ADD CONSTRAINT objects_output_names_its_claim CHECK ((purpose = 'output') = (job_id IS NOT NULL AND claim IS NOT NULL));
`);
  }
}
