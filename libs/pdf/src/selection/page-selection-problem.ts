import { parsePageSelection } from './page-selection.js';

const longestShown = 100;

/** What a user is told of a text that is no selection of pages; `null` if it is one. */
export function pageSelectionProblem(text: string): string | null {
  if (parsePageSelection(text) !== null) return null;
  const shown = JSON.stringify(text.length > longestShown ? `${text.slice(0, longestShown)}...` : text);
  return `${shown} is no selection of pages: write 3, 1-3, 4- (to the end) or -1 (the last), with commas between several, such as 1-3,5,-1`;
}
