import type { FieldProblem, InputReference } from '#libs/contract';
import { type OperationDeclaration, pageSelectionProblem } from '#libs/pdf';

/** What is wrong with the inputs of a request whose options are in order, as far as the request itself tells. */
export function checkInputs(
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
  if (pagesAreNamedBy === 'inputs') return pageSelectionProblem(pages);
  return `${name} takes no pages of an input: its option ${pagesAreNamedBy.option} says which`;
}
