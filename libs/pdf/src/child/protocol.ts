import { z } from 'zod';
import { documentFailureCodes } from '../document/failure/document-failure.js';
import { operationNames } from '../operation.js';

const inputFile = z.object({
  path: z.string(),
  name: z.string(),
  password: z.string().nullable(),
  pages: z.string().nullable(),
});

const taskMessage = z.object({
  operation: z.enum(operationNames),
  options: z.unknown(),
  inputs: z.array(inputFile),
  outputDirectory: z.string(),
  maxPages: z.number(),
  maxOutputs: z.number(),
  maxOutputBytes: z.number(),
  temporaryDirectory: z.string(),
});
/** From parent to child: one task at a time, answered by one `ChildAnswer`. */
export type TaskMessage = z.infer<typeof taskMessage>;

const count = z.number().int().nonnegative();

const childAnswer = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('completed'),
    /** `file` is a name in the output directory, never a path: the child works on hostile documents and is not believed more. */
    outputs: z.array(
      z.object({ file: z.string().regex(/^\d+\.[a-z]+$/), name: z.string(), mediaType: z.string(), pages: count }),
    ),
    warnings: z.array(z.string()),
  }),
  z.object({
    type: z.literal('failed'),
    failure: z.object({
      code: z.enum(documentFailureCodes),
      message: z.string(),
      input: count.nullable(),
      limit: z.object({ name: z.string(), allowed: z.number(), actual: z.number().nullable() }).optional(),
    }),
  }),
  z.object({ type: z.literal('out_of_memory') }),
  z.object({ type: z.literal('broken'), reason: z.string() }),
]);
/** The one answer of the child to a task. */
export type ChildAnswer = z.infer<typeof childAnswer>;

const childMessage = z.union([
  z.object({ type: z.literal('ready') }),
  z.object({ type: z.literal('progress'), done: count, total: count }),
  childAnswer,
]);
/** From child to parent: `ready` once, then for each task any number of `progress` and one answer. */
export type ChildMessage = z.infer<typeof childMessage>;

export function readTaskMessage(message: unknown): TaskMessage {
  return taskMessage.parse(message);
}

/** `null` for anything that is no message of the protocol. */
export function readChildMessage(message: unknown): ChildMessage | null {
  const parsed = childMessage.safeParse(message);
  return parsed.success ? parsed.data : null;
}
