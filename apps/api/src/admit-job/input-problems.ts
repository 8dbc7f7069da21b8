import type { FieldProblem, InputReference } from '#libs/contract';
import { type OperationDeclaration, parsePageSelection } from '#libs/pdf';

const longestShown = 100;

/** What is wrong with the inputs of a request whose options are in order, as far as the request itself tells. */
export function inputProblems(
  operation: OperationDeclaration,
  options: unknown,
  inputs: readonly InputReference[],
): readonly FieldProblem[] {
  const problems = inputs.flatMap(({ pages }, index) => {
    const detail = pages === undefined ? null : pagesProblem(operation, pages);
    return detail === null ? [] : [{ pointer: `/inputs/${index}/pages`, detail }];
  });
  const refusal = operation.checkInputs?.(options, inputs.length) ?? null;
  return refusal === null ? problems : [...problems, { pointer: refusal.path, detail: refusal.message }];
}

function pagesProblem({ name, pagesAreNamedBy }: OperationDeclaration, pages: string): string | null {
  if (pagesAreNamedBy === undefined) return `${name} takes no pages of an input`;
  if (pagesAreNamedBy !== 'inputs')
    return `${name} takes no pages of an input: its option ${pagesAreNamedBy.option} says which`;
  return parsePageSelection(pages) === null ? `${shown(pages)} ${wrongSelection}` : null;
}

const wrongSelection =
  'is no selection of pages: write 3, 1-3, 4- (to the end) or -1 (the last), with commas between several, such as 1-3,5,-1';

function shown(pages: string): string {
  return JSON.stringify(pages.length > longestShown ? `${pages.slice(0, longestShown)}...` : pages);
}
