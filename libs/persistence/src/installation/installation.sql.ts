import { statement } from '../database/statement.js';

/** The first process to come states the value; it is never changed by another. */
export const stateOnce = statement(
  'state-installation-value',
  `INSERT INTO installation (name, value) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING`,
);

export const readInstallationValue = statement(
  'read-installation-value',
  `SELECT value FROM installation WHERE name = $1`,
);
