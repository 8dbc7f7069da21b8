/** The cells of the rows of the first table below a heading, whatever its columns are padded with; none when there is no such table. */
export function tableBelow(markdown: string, heading: string): readonly (readonly string[])[] {
  const section = markdown.split(`\n${heading}\n`)[1]?.split('\n## ')[0] ?? '';
  const lines = section.split('\n').filter((line) => line.startsWith('|'));
  return lines.slice(2).map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}
