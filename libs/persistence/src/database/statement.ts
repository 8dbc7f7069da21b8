/** One SQL statement. It is prepared once per connection under its name, so the name says what it does and is unique. */
export interface Statement {
  readonly name: string;
  readonly text: string;
}

/** Names a statement; the text is written with care, in SQL. */
export function statement(name: string, text: string): Statement {
  return { name, text };
}
