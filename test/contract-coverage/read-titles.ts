import ts from 'typescript';

/** A test, or a group of tests, that names lines of the contract. */
export interface TaggedTitle {
  /** Without the tag. */
  readonly title: string;
  readonly ids: readonly string[];
}

const tag = /^(.*?) \(contract ([^()]+)\)$/s;

/**
 * The titles in the text of a suite that end with `(contract 1.4)` or `(contract 1.4, 2.2)`: first arguments of calls, whatever the
 * function is named. A test that is left out holds nothing.
 */
export function readTitles(source: string): readonly TaggedTitle[] {
  const titles: TaggedTitle[] = [];
  const visit = (node: ts.Node): void => {
    const first = ts.isCallExpression(node) && !isLeftOut(node.expression) ? node.arguments[0] : undefined;
    const [, title, ids] = tag.exec(textOf(first)) ?? [];
    if (title !== undefined && ids !== undefined) titles.push({ title, ids: ids.split(', ') });
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile('suite.ts', source, ts.ScriptTarget.Latest));
  return titles;
}

function isLeftOut(callee: ts.Expression): boolean {
  return ts.isPropertyAccessExpression(callee) && ['skip', 'todo'].includes(callee.name.text);
}

/** The text of a string as it stands in the source, `''` of anything else; what is filled in is shown as `...`. */
function textOf(node: ts.Node | undefined): string {
  if (node === undefined) return '';
  if (ts.isStringLiteralLike(node)) return node.text;
  if (!ts.isTemplateExpression(node)) return '';
  return node.head.text + node.templateSpans.map((span) => `...${span.literal.text}`).join('');
}
