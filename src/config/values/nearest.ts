/** The legal name that was probably meant: `nearest('balanse', ['balance', 'raw']) // 'balance'`. */
export function nearest(written: string, legal: Iterable<string>): string | undefined {
  if (written.length > LONGEST) return undefined;
  let best: string | undefined;
  let bestDistance = Math.max(written.length < SHORTEST_START ? 0 : 1, Math.floor(written.length / 3)) + 0.5;
  for (const name of legal) {
    const isStart = written.length >= SHORTEST_START && name.toLowerCase().startsWith(written.toLowerCase());
    const away = isStart ? 1 : distance(written.toLowerCase(), name.toLowerCase());
    if (away < bestDistance) [best, bestDistance] = [name, away];
  }
  return best;
}

const LONGEST = 64;
const SHORTEST_START = 3;

/** "Did you mean …?" when there is a near name, else the legal names when they are few. */
export function hintFor(written: string, legal: Iterable<string>): string | undefined {
  const names = [...legal];
  const near = nearest(written, names);
  if (near !== undefined) return `Did you mean ${near}?`;
  return names.length === 0 || names.length > MOST_LISTED ? undefined : `Possible: ${names.join(', ')}.`;
}

const MOST_LISTED = 17;

// Levenshtein, with two swapped neighbours counted as one mistake.
function distance(a: string, b: string): number {
  let before: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1];
      let cost = Math.min(at(row, j) + 1, at(next, j - 1) + 1, at(row, j - 1) + (same ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        cost = Math.min(cost, at(before, j - 2) + 1);
      next.push(cost);
    }
    [before, row] = [row, next];
  }
  return at(row, b.length);
}

function at(row: readonly number[], index: number): number {
  return row[index] ?? Infinity;
}
