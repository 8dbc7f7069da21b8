import { ContentLexer } from './content-lexer.js';
import { skipInlineImage } from './skip-inline-image.js';

/** What the operators of a content stream leave open at its end, and those that close what is not open. */
export interface ContentBalance {
  /** Graphics states saved by `q` and not restored. */
  readonly openStates: number;
  /** Marked-content sequences without `EMC`. */
  readonly openMarks: number;
  /** Whether a text object has no `ET`. */
  readonly isInText: boolean;
  /** Where each `Q` stands for which there is no `q`; viewers pass over it. */
  readonly surplus: readonly number[];
  /** Where a string starts that has no end, and would swallow what is written behind it; `null` if there is none. */
  readonly unendedAt: number | null;
}

/** No operator that counts has more letters. */
const longestOperator = 3;

/** Reads the operators of a content, whatever they are: what is broken is passed over, as viewers do. */
export function measureBalance(bytes: Uint8Array): ContentBalance {
  const lexer = new ContentLexer(bytes);
  const balance = new Balance();
  for (let kind = lexer.next(); kind !== 'end'; kind = lexer.next()) {
    if (kind === 'broken' && lexer.end === bytes.length) balance.unendedAt = lexer.start;
    if (kind !== 'word' || lexer.end - lexer.start > longestOperator) continue;
    const operator = lexer.text();
    if (operator === 'BI') skipInlineImage(lexer);
    else balance.count(operator, lexer.start);
  }
  const { openStates, openMarks, isInText, surplus, unendedAt } = balance;
  return { openStates, openMarks, isInText, surplus, unendedAt };
}

class Balance implements ContentBalance {
  openStates = 0;
  openMarks = 0;
  isInText = false;
  readonly surplus: number[] = [];
  unendedAt: number | null = null;

  count(operator: string, start: number): void {
    if (operator === 'q') this.openStates += 1;
    else if (operator === 'Q') this.restore(start);
    else if (operator === 'BT') this.isInText = true;
    else if (operator === 'ET') this.isInText = false;
    else if (operator === 'BDC' || operator === 'BMC') this.openMarks += 1;
    else if (operator === 'EMC') this.openMarks = Math.max(0, this.openMarks - 1);
  }

  private restore(start: number): void {
    if (this.openStates === 0) this.surplus.push(start);
    else this.openStates -= 1;
  }
}
