import { z } from 'zod';
import { parsePageSelection } from './page-selection.js';

/** An option that says which pages of the document an operation works on. */
export const pagesOption = z
  .string()
  .refine((text) => parsePageSelection(text) !== null, {
    error: ({ input }) =>
      `${JSON.stringify(shortened(String(input)))} is no selection of pages: write 3, 1-3, 4- (to the end), -1 (the last), or several with commas.`,
  })
  .meta({ description: 'Pages from 1; negative numbers count from the end.', examples: ['1-3,5,-1', '2-'] });

function shortened(text: string): string {
  return text.length > 100 ? `${text.slice(0, 100)}…` : text;
}
