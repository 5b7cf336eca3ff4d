/** Rows as lines with aligned columns; the last column is not padded. */
export function inColumns(rows: readonly (readonly string[])[]): string[] {
  const widths: number[] = [];
  for (const row of rows) for (const [i, cell] of row.entries()) widths[i] = Math.max(widths[i] ?? 0, cell.length);
  return rows.map((row) =>
    row
      .map((cell, i) => cell.padEnd(widths[i] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}

/** A text in lines of at most `width` characters, broken at blanks. A longer word has a line of its own. */
export function wrapped(text: string, width: number, indent = { first: '', next: '' }): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ').filter((one) => one !== '')) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= width) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(`${last === undefined ? indent.first : indent.next}${word}`);
  }
  return lines;
}

/** An item of a list: its further lines are indented. */
export function wrappedItem(text: string, width: number): string[] {
  const first = /^ */.exec(text)?.[0] ?? '';
  return wrapped(text, width, { first, next: `${first}  ` });
}
