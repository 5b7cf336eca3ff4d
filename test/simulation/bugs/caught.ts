// Whether a run with a bug in it is noticed: by a verdict of the one oracle that is there for it, which the open list does not
// cover, and which the same history has not without the bug.
import type { BugOfAlerts, BugOfPeople } from './bug.ts';
import { copyWith, runIn } from './copies.ts';

export interface Uncovered {
  /** The check; of people, with the duty. */
  readonly as: string;
  readonly at: string;
  readonly what: string;
}

type Oracle = 'alerts' | 'people';

const SEED = '1';
/** Most are noticed on the first day. A longer history begins like a shorter one. */
const DAYS = ['1', '3', '10'];

/** In the first of these histories that shows it; empty: none does. */
export async function whereCaught(oracle: Oracle, name: string, bug: BugOfAlerts | BugOfPeople): Promise<Uncovered[]> {
  using copy = copyWith(name);
  const wanted: readonly string[] = bug.caughtAs;
  for (const days of DAYS) {
    const args = [
      oracle,
      bug.watched ?? 'accounts',
      bug.seed ?? SEED,
      days,
      ...(bug.under === undefined ? [] : [bug.under.join(',')]),
    ];
    const found = (await uncoveredIn(copy.folder, args)).filter(({ as }) => wanted.includes(as));
    const known = new Set(found.length === 0 ? [] : (await withoutBug(args)).map(nameOf));
    const caught = found.filter((one) => !known.has(nameOf(one)));
    if (caught.length > 0) return caught;
  }
  return [];
}

const sound = new Map<string, Promise<Uncovered[]>>();

function withoutBug(args: readonly string[]): Promise<Uncovered[]> {
  const name = args.join(' ');
  const found = sound.get(name) ?? uncoveredIn('.', args);
  sound.set(name, found);
  return found;
}

async function uncoveredIn(folder: string, args: readonly string[]): Promise<Uncovered[]> {
  const { code, out } = await runIn(folder, ['test/simulation/bugs/uncovered.ts', ...args]);
  if (code !== 0) throw new Error(`the run ended with ${code}: ${out}`);
  return out
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => readUncovered(line));
}

/** A line of `uncovered.ts`. */
function readUncovered(line: string): Uncovered {
  const [as = '', at = '', what = ''] = line.split('\t');
  return { as, at, what };
}

function nameOf({ as, at, what }: Uncovered): string {
  return `${as} ${at} ${what}`;
}
