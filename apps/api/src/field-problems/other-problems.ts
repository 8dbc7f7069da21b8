import type { FieldProblem } from '#libs/contract';

/** The problems that are not about the very values that are told of already. */
export function aboutOtherValues(
  told: readonly FieldProblem[],
  problems: readonly FieldProblem[],
): readonly FieldProblem[] {
  const pointers = new Set(told.map(({ pointer }) => pointer));
  return problems.filter(({ pointer }) => !pointers.has(pointer));
}

/** The problems in other fields of the request than those that could not be read: what such a field lacks says nothing. */
export function inOtherFields(
  unread: readonly FieldProblem[],
  problems: readonly FieldProblem[],
): readonly FieldProblem[] {
  const fields = new Set(unread.map(fieldOf));
  return problems.filter((problem) => !fields.has(fieldOf(problem)));
}

function fieldOf({ pointer }: FieldProblem): string | undefined {
  return pointer.split('/', 2)[1];
}
