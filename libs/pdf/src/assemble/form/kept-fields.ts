import type { Excerpt } from '../excerpt.js';
import type { Form, FormNode } from './read-form.js';

/** The nodes of a form that come along, in the order of the form, each with those of its kids that do. */
export type KeptFields = ReadonlyMap<FormNode, readonly FormNode[]>;

/**
 * Keeps the nodes that lead to a widget on one of the pages, and with a whole document the fields that have no widget at all. Takes no more time than the
 * widgets of these pages ask for, however large the form is.
 */
export function keptFields(form: Form, { pages, isWhole, repeat }: Excerpt): KeptFields {
  const kept = new Set<FormNode>();
  const keep = (leaves: readonly FormNode[]): void => {
    for (const leaf of leaves)
      for (let node: FormNode | null = leaf; node !== null && !kept.has(node); node = node.parent) kept.add(node);
  };
  for (const { index } of pages) keep(form.widgets.get(index) ?? []);
  if (isWhole && repeat === 0) keep(form.withoutWidget);
  const kids = new Map<FormNode, FormNode[]>();
  const inOrder = [...kept].sort((one, other) => one.order - other.order);
  for (const node of inOrder) kids.set(node, []);
  for (const node of inOrder) if (node.parent !== null) kids.get(node.parent)?.push(node);
  return kids;
}
