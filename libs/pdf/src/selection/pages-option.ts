import { z } from 'zod';
import { pageSelectionProblem } from './page-selection-problem.js';

/** An option that says which pages of the document an operation works on. */
export const pagesOption = z
  .string()
  .refine((text) => pageSelectionProblem(text) === null, {
    error: ({ input }) => pageSelectionProblem(String(input)) ?? undefined,
  })
  .meta({ description: 'Pages from 1; negative numbers count from the end.', examples: ['1-3,5,-1', '2-'] });
