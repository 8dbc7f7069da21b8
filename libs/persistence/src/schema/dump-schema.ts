import type { Queryable } from '../database/database.js';
import { findUnrendered, readForeignKeys, readFunctions, readTables, readTriggers } from './schema.sql.js';

interface Definition {
  readonly definition: string;
}

interface Table {
  readonly name: string;
  readonly options: string | null;
  readonly columns: readonly string[];
  readonly constraints: readonly string[];
  readonly indexes: readonly string[];
}

const heading = '-- What the migrations make, as the catalogs tell it. Written by print-schema, not by hand.';

/**
 * The public schema as SQL that would make it: functions, tables with constraints and indexes, foreign keys, triggers, each in the order of
 * their names. The same schema gives the same text on every Postgres from 15 on. TypeORM's table of migrations is left out.
 *
 * @throws Error when the schema has something that the text would not show
 */
export async function dumpSchema(database: Queryable): Promise<string> {
  const unrendered = await database.query<{ description: string }>(findUnrendered);
  if (unrendered.length > 0) {
    throw new Error(`the schema dump cannot show: ${unrendered.map((row) => row.description).join(', ')}`);
  }
  const functions = await database.query<Definition>(readFunctions);
  const tables = await database.query<Table>(readTables);
  const foreignKeys = await database.query<Definition>(readForeignKeys);
  const triggers = await database.query<Definition>(readTriggers);
  const paragraphs = [
    heading,
    ...functions.map((row) => `${row.definition.trimEnd()};`),
    ...tables.map(tableText),
    foreignKeys.map((row) => `${row.definition};`).join('\n'),
    triggers.map((row) => `${row.definition};`).join('\n'),
  ];
  return `${paragraphs.filter((paragraph) => paragraph !== '').join('\n\n')}\n`;
}

function tableText(table: Table): string {
  const lines = [...table.columns, ...table.constraints].map((line) => `  ${line}`);
  const options = table.options === null ? '' : ` WITH (${table.options})`;
  const create = `CREATE TABLE ${table.name} (\n${lines.join(',\n')}\n)${options};`;
  return [create, ...table.indexes.map((index) => `${index};`)].join('\n');
}
