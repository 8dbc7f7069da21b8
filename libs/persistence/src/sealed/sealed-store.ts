import type { Database } from '../database/database.js';
import { countLinkKeys, sealedTables } from './sealed-values.sql.js';

/** What a value is sealed for. */
export type SealedKind = keyof typeof sealedTables;

/** The kinds of sealed values. */
export const sealedKinds = Object.keys(sealedTables) as readonly SealedKind[];

/** Where a sealed value is: the primary key of its row. */
export type SealedPlace = readonly string[];

/** A value as it is stored. */
export interface SealedValue {
  readonly place: SealedPlace;
  readonly sealed: string;
}

/** Some rows of a table: those of their values that are sealed, and where the next page begins, `null` behind the last. */
export interface SealedPage {
  readonly values: readonly SealedValue[];
  readonly next: SealedPlace | null;
}

/** A value to be replaced by what it is under another key. */
export interface Resealed extends SealedValue {
  readonly fresh: string;
}

/** The links that were signed with one key, and when the last of them expires. */
export interface LinkKey {
  readonly keyId: string;
  readonly links: number;
  readonly until: Date;
}

/** The values that are sealed with `SECRET_KEY`, wherever they are. */
export class SealedStore {
  constructor(private readonly database: Database) {}

  /** The sealed values of at most `limit` rows behind a place, the first ones behind `null`. Rows that come meanwhile may be missed. */
  async page(kind: SealedKind, after: SealedPlace | null, limit: number): Promise<SealedPage> {
    const values = [JSON.stringify(after ?? []), limit];
    const rows = await this.database.query<{ place: string[]; sealed: string | null }>(sealedTables[kind].page, values);
    return {
      values: rows.flatMap(({ place, sealed }) => (sealed === null ? [] : [{ place, sealed }])),
      next: rows.length < limit ? null : (rows.at(-1)?.place ?? null),
    };
  }

  /** Replaces values that are still what they were read as, and says how many. */
  async replace(kind: SealedKind, values: readonly Resealed[]): Promise<number> {
    const places = values.map(({ place }) => JSON.stringify(place));
    const stale = values.map(({ sealed }) => sealed);
    const fresh = values.map((value) => value.fresh);
    const { replace } = sealedTables[kind];
    const rows = await this.database.transaction((tx) => tx.query(replace, [places, stale, fresh]));
    return rows.length;
  }

  /** The keys that links which still open an output were signed with. */
  async linkKeys(): Promise<readonly LinkKey[]> {
    const rows = await this.database.query<{ key_id: string; links: number; until: Date }>(countLinkKeys);
    return rows.map(({ key_id: keyId, links, until }) => ({ keyId, links, until }));
  }
}
