import { readUrl } from '#libs/domain';
import { z } from 'zod';
import { plainSentence } from '../errors/plain-sentence.js';

const mostMetadataEntries = 20;
const mostMetadataBytes = 4_000;

/** Up to 20 string pairs: name 40 characters, value 500, 4 kB in all; echoed, never interpreted. */
export const metadataSchema = z
  .record(z.string().min(1).max(40), z.string().max(500))
  .refine(
    (metadata) => Object.keys(metadata).length <= mostMetadataEntries,
    `must have at most ${mostMetadataEntries} entries`,
  )
  .refine(
    (metadata) => Buffer.byteLength(JSON.stringify(metadata)) <= mostMetadataBytes,
    `must have at most ${mostMetadataBytes} bytes in all`,
  );

/** More than any job makes. */
const mostOutputIndex = 1_000_000;

/** Room for the thousand ranges that a selection may have. */
const longestSelection = 20_000;
/** A PDF reader takes no more of a password than this: ISO 32000-2, 7.6.4.3.3. */
const mostPasswordBytes = 127;

/** What may go with an input of any form. Whether `pages` is a selection, and whether the operation takes it, its declaration knows. */
const withInput = {
  pages: z
    .string()
    .max(longestSelection)
    .optional()
    .meta({ description: 'The pages to take of it, in this order; all when left out.', examples: ['1-3,5,-1'] }),
  password: z
    .string()
    .min(1)
    .refine(
      (password) => Buffer.byteLength(password) <= mostPasswordBytes,
      `must have at most ${mostPasswordBytes} bytes in UTF-8`,
    )
    .optional()
    .meta({
      description: `What opens it when it is encrypted: up to ${mostPasswordBytes} bytes in UTF-8. Shown nowhere.`,
      format: 'password',
      writeOnly: true,
    }),
};

const fileInput = z.strictObject({ file_id: z.string(), ...withInput });
const jobInput = z.strictObject({
  job_id: z.string(),
  output: z.int().min(0).max(mostOutputIndex).default(0),
  ...withInput,
});
const urlInput = z.strictObject({
  url: z
    .string()
    .max(2_000)
    .refine((url) => readUrl(url) !== null, 'must be an absolute URL')
    .refine((url) => !hasCredentials(url), 'must not carry a user name or password'),
  ...withInput,
});
const partInput = z.strictObject({ part: z.int().min(0), ...withInput });

function hasCredentials(text: string): boolean {
  const url = readUrl(text);
  return url !== null && (url.username !== '' || url.password !== '');
}

/** One input of a job: exactly one of its forms. */
export const inputSchema = z.unknown().transform((value, context) => {
  const given = inputForms.filter(({ name }) => typeof value === 'object' && value !== null && name in value);
  const [form, ...others] = given;
  if (form === undefined || others.length > 0) {
    const names = given.map(({ name }) => name);
    context.addIssue({ code: 'custom', message: `${oneForm}: it has ${names.join(' and ') || 'none of them'}` });
    return z.NEVER;
  }
  const result = form.schema.safeParse(value, { error: plainSentence });
  if (result.success) return result.data;
  for (const issue of result.error.issues) context.addIssue({ ...issue });
  return z.NEVER;
});

const inputForms = [
  { name: 'file_id', schema: fileInput },
  { name: 'job_id', schema: jobInput },
  { name: 'url', schema: urlInput },
  { name: 'part', schema: partInput },
] as const;

const oneForm = `must be an object with exactly one of ${inputForms.map(({ name }) => name).join(', ')}`;

/** See {@link inputSchema}. */
export type InputReference = z.output<(typeof inputForms)[number]['schema']>;

const mostInputs = 1_000;

/** The body of `POST /v1/jobs`. The options are checked against the schema of the operation. */
export const jobRequestSchema = z.strictObject({
  operation: z.string(),
  inputs: z.array(inputSchema).min(1).max(mostInputs),
  options: z.record(z.string(), z.unknown()).default({}),
  metadata: metadataSchema.default({}),
});

/** See {@link jobRequestSchema}. */
export interface JobRequest {
  readonly operation: string;
  readonly inputs: readonly InputReference[];
  readonly options: Readonly<Record<string, unknown>>;
  readonly metadata: Readonly<Record<string, string>>;
}

/** What `POST /v1/jobs` takes as JSON, for documents only: {@link inputSchema} has no JSON Schema of its own. */
export const jobRequestDocument = jobRequestSchema.extend({
  inputs: z
    .array(z.union([fileInput, jobInput, urlInput]))
    .min(1)
    .max(mostInputs),
});

/** The query of a route that has no parameters. */
export const noQuerySchema = z.strictObject({});
