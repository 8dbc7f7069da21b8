import type { PlacedPage } from '../excerpt.js';
import type { Form, FormNode } from './read-form.js';

/** The nodes of a form that lead to a widget on one of some pages, in the order of the form, each with those of its kids that do. */
export type KeptFields = ReadonlyMap<FormNode, readonly FormNode[]>;

/** Takes no more time than the widgets of these pages ask for, however large the form is. */
export function keptFields(form: Form, pages: readonly PlacedPage[]): KeptFields {
  const kept = new Set<FormNode>();
  for (const { index } of pages) {
    for (const widget of form.widgets.get(index) ?? []) {
      for (let node: FormNode | null = widget; node !== null && !kept.has(node); node = node.parent) kept.add(node);
    }
  }
  const kids = new Map<FormNode, FormNode[]>();
  const inOrder = [...kept].sort((one, other) => one.order - other.order);
  for (const node of inOrder) kids.set(node, []);
  for (const node of inOrder) if (node.parent !== null) kids.get(node.parent)?.push(node);
  return kids;
}
