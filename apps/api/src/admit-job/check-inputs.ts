import type { FieldProblem } from '#libs/contract';
import { type OperationDeclaration, pageSelectionProblem } from '#libs/pdf';
import { isObject } from './is-object.js';

/**
 * What is wrong with the inputs of a request, as far as the request itself tells and their schema does not.
 *
 * @param options those of the operation; `null` when they are not in order
 * @param inputs as they were sent
 */
export function checkInputs(
  operation: OperationDeclaration,
  options: unknown,
  inputs: readonly unknown[],
): readonly FieldProblem[] {
  const problems = inputs.flatMap((input, index) => {
    const detail =
      isObject(input) && typeof input['pages'] === 'string' ? pagesProblem(operation, input['pages']) : null;
    return detail === null ? [] : [{ pointer: `/inputs/${index}/pages`, detail }];
  });
  const count = countProblem(operation, inputs.length);
  if (count !== null) return [{ pointer: '/inputs', detail: count }, ...problems];
  const refusal = options === null ? null : (operation.checkInputs?.(options, inputs.length) ?? null);
  return refusal === null ? problems : [...problems, { pointer: refusal.path, detail: refusal.message }];
}

function pagesProblem({ name, pagesAreNamedBy }: OperationDeclaration, pages: string): string | null {
  if (pagesAreNamedBy === 'inputs') return pageSelectionProblem(pages);
  return `${name} takes no pages of an input: its option ${pagesAreNamedBy.option} says which`;
}

function countProblem({ name, minInputs, maxInputs }: OperationDeclaration, inputs: number): string | null {
  if (inputs < minInputs) return `${name} needs at least ${plural(minInputs)}, not ${inputs}`;
  if (maxInputs !== null && inputs > maxInputs) return `${name} takes at most ${plural(maxInputs)}, not ${inputs}`;
  return null;
}

function plural(inputs: number): string {
  return inputs === 1 ? 'one input' : `${inputs} inputs`;
}
