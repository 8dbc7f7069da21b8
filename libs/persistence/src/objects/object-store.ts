import type { Queryable } from '../database/database.js';
import { completeObject, discardObject, registerObject } from './objects.sql.js';

/** An object that is about to be written. Ids are UUIDs; an input that was fetched and an output name the claim of
 * their job under which they are made. */
export interface NewObject {
  readonly id: string;
  readonly accountId: string;
  /** Its name in the blob store, used once. */
  readonly name: string;
  readonly purpose: 'upload' | 'input' | 'output';
  readonly jobId?: string;
  readonly claim?: number;
}

/** What is known of an object once all its bytes are durable. SHA-256 in hexadecimal. */
export interface ObjectContent {
  readonly size: number;
  readonly sha256: string;
}

/**
 * The rows of stored objects: registered before the first byte, complete after the last, referred to only then. Nothing here deletes one; that
 * is the garbage collector's alone. Every write may be repeated when its answer was lost.
 */
export class ObjectStore {
  /** Makes an object known. To be committed before its first byte is written. */
  async register(database: Queryable, object: NewObject): Promise<void> {
    const { id, accountId, name, purpose, jobId = null, claim = null } = object;
    await database.query(registerObject, [id, accountId, name, purpose, jobId, claim]);
  }

  /**
   * Records that every byte of an object is durable.
   *
   * @returns false when there is no such object to complete: the collector took it, because it was not finished in time
   */
  async complete(database: Queryable, id: string, content: ObjectContent): Promise<boolean> {
    const rows = await database.query(completeObject, [id, content.size, content.sha256]);
    return rows.length > 0;
  }

  /** Has the collector remove what was stored under a name whose row it had taken before. */
  async discard(database: Queryable, name: string): Promise<void> {
    await database.query(discardObject, [name]);
  }
}
