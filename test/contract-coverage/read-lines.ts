/** A numbered line of the contract. */
export interface ContractLine {
  /** Section and number, such as `1.4`. */
  readonly id: string;
  /** What it says, on one line. */
  readonly text: string;
}

const begin = /^- \*\*(\d+\.\d+)\*\* (.*)$/;

/** The numbered lines of docs/contract.md, in their order; each begins `- **1.4** ` and goes on indented. */
export function readLines(markdown: string): readonly ContractLine[] {
  const lines: { id: string; text: string }[] = [];
  let isOpen = false;
  for (const line of markdown.split('\n')) {
    const [, id, text] = begin.exec(line) ?? [];
    const open = lines.at(-1);
    if (id !== undefined && text !== undefined) lines.push({ id, text });
    else if (isOpen && open !== undefined && line.startsWith('  ')) open.text += ` ${line.trim()}`;
    isOpen = id !== undefined || (isOpen && line.startsWith('  '));
  }
  return lines;
}
