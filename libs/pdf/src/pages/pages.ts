import { z } from 'zod';
import type { OperationDeclaration } from '../operation.js';
import { pagesOption } from '../selection/pages-option.js';

const pagesOptions = z
  .strictObject({ keep: pagesOption.optional(), delete: pagesOption.optional() })
  .refine((options) => (options.keep === undefined) !== (options.delete === undefined), {
    error: ({ input }) => {
      const both = typeof input === 'object' && input !== null && 'keep' in input;
      return both
        ? '"keep" and "delete" exclude each other: name one of them'
        : 'name the pages to "keep" or to "delete"';
    },
  })
  .meta({ description: 'Either `keep` or `delete`.' });
export type PagesOptions = z.infer<typeof pagesOptions>;

/** Some pages of one document: those to keep, in the order in which they are named, or all but those to delete. */
export const pages: OperationDeclaration<PagesOptions> = {
  name: 'pages',
  optionsSchema: pagesOptions,
  minInputs: 1,
  maxInputs: 1,
  pagesAreNamedBy: { option: 'keep' },
  progress: { unit: 'pages', total: () => 0 },
  load: async () => ({ run: (await import('./run-pages.js')).runPages }),
};
