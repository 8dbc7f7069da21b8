import { z } from 'zod';

/** A JSON Schema, or another part of an OpenAPI document. */
export type JsonObject = Readonly<Record<string, unknown>>;

const place = '#/components/schemas/';

/** The schemas of an OpenAPI document: one that has an id is stored once, under it, and referred to wherever it is used. */
export class SchemaComponents {
  private readonly schemas: Record<string, JsonObject> = {};

  /**
   * The JSON Schema of a value in a request or an answer, with references to what has an id. What is answered may get more members in a later
   * version, so its schema refuses none.
   */
  of(schema: z.ZodType, io: 'input' | 'output'): JsonObject {
    // Inside an object, so that a schema that has an id is itself a reference.
    const strict = z.toJSONSchema(z.object({ value: schema }), { io, unrepresentable: 'any', reused: 'inline' });
    const document = io === 'output' ? withRoomToGrow(strict) : strict;
    const { $defs = {}, properties = {} } = JSON.parse(
      JSON.stringify(document).replaceAll('"#/$defs/', `"${place}`),
    ) as { $defs?: Readonly<Record<string, JsonObject>>; properties?: { value?: JsonObject } };
    for (const [id, definition] of Object.entries($defs)) this.schemas[id] = withoutId(definition);
    return properties.value ?? {};
  }

  /** Stores a schema under a name and gives the reference to it. */
  add(name: string, schema: JsonObject): JsonObject {
    this.schemas[name] = schema;
    return { $ref: `${place}${name}` };
  }

  /** All that was stored so far. */
  stored(): JsonObject {
    return this.schemas;
  }
}

function withoutId({ id: _, ...definition }: JsonObject): JsonObject {
  return definition;
}

/** A schema that does not refuse members that come later. */
function withRoomToGrow(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withRoomToGrow);
  if (typeof schema !== 'object' || schema === null) return schema;
  const entries = Object.entries(schema).filter(([name, value]) => name !== 'additionalProperties' || value !== false);
  return Object.fromEntries(entries.map(([name, value]) => [name, withRoomToGrow(value)]));
}
