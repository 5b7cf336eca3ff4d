// Runs histories and says what is wrong with them: `npm run chaos -- --seed 7 --days 10`.
//
//   --seed N      the first history (1)          --days D      how long each lasts (10)
//   --count N     how many, one seed after another (1)
//   --faults A,B  only these kinds                --only ID,ID  only these faults of the history
//   --bug NAME    the same in a copy of the sources with that bug in it
//   --long        does not look for the shortest history
//   --all         goes on after a history with something wrong, and looks for no shortest one
//   --watched W    only histories over accounts, or only those over contracts; left out: both of each seed
//   --unstretched  the plan leaves intervals as they are: the credits run out
//   --logs DIR    keeps the logs of each history in DIR, and judges those that are there instead of a run
import { parseArgs } from 'node:util';
import { copyWith, runIn } from './bugs/copies.ts';
import { drawHistory } from './history.ts';
import { ALL_KINDS, FAULT_KINDS, type FaultKind } from './faults/kinds.ts';
import { OVER, WATCHED } from './over.ts';
import type { History, Logs, PlannedFault, Verdict, Watched } from './model.ts';
import type { OpenEntry } from './open/entry.ts';
import type { PeopleVerdict } from './people/verdict.ts';
import { keptLogsIn } from './kept-logs.ts';
import { occurrencesByDay, showOccurrences } from './occurrence-counts.ts';
import { run } from './run.ts';
import { addMeetings, showMeetings } from './scenes/meetings.ts';
import type { PairCounts } from './scenes/sightings.ts';
import { shrink } from './shrink.ts';
import { outdatedIn, verdictsOf, type Found } from './verdicts.ts';

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    days: { type: 'string', default: '10' },
    count: { type: 'string', default: '1' },
    faults: { type: 'string' },
    only: { type: 'string' },
    bug: { type: 'string' },
    long: { type: 'boolean', default: false },
    all: { type: 'boolean', default: false },
    logs: { type: 'string' },
    unstretched: { type: 'boolean', default: false },
    watched: { type: 'string' },
  },
});

const MOST_SHOWN = 20;

const kept = values.logs === undefined ? null : keptLogsIn(values.logs);

process.exitCode = values.bug === undefined ? await runAll() : await runWithBug(values.bug);

async function runWithBug(name: string): Promise<number> {
  using copy = copyWith(name);
  const at = process.argv.indexOf('--bug');
  const args = process.argv.slice(2).filter((_arg, n) => n + 2 !== at && n + 2 !== at + 1);
  const { code, out } = await runIn(copy.folder, ['test/simulation/main.ts', ...args]);
  print(out.trimEnd());
  return code;
}

async function runAll(): Promise<number> {
  let meetings: PairCounts = new Map();
  const open = new Map<OpenEntry, number>();
  let code = 0;
  for (const history of histories()) {
    const { found, text, sightings } = await look(history);
    print(text);
    meetings = addMeetings(meetings, sightings);
    for (const [entry, count] of found.open) open.set(entry, (open.get(entry) ?? 0) + count);
    const [first] = found.unknown;
    if (first === undefined) {
      if (failsOutdated(history, found.open)) code = 1;
      continue;
    }
    for (const verdict of found.unknown.slice(0, MOST_SHOWN)) print(`  ${showVerdict(verdict)}`);
    code = 1;
    if (values.all) continue;
    printOpen(open);
    if (!values.long) await printShortest(history, first);
    return code;
  }
  for (const line of showMeetings(meetings)) print(line);
  printOpen(open);
  return code;
}

function printOpen(open: Found['open']): void {
  for (const [{ name, of }, count] of open) print(`open: ${of}, ${name}: ${count}`);
}

/** Only of whole histories, over accounts. */
function failsOutdated(history: History, open: Found['open']): boolean {
  if (values.only !== undefined || history.watched !== 'accounts') return false;
  const outdated = outdatedIn(history, values.faults === undefined ? null : kinds(), open);
  for (const { name, of } of outdated) print(`open, but not met: ${of}, ${name}`);
  return outdated.length > 0;
}

function histories(): readonly History[] {
  const seeds = Array.from({ length: Number(values.count) }, (_, n) => Number(values.seed) + n);
  return seeds.flatMap((seed) => watched().map((what) => historyOf(seed, what)));
}

function watched(): readonly Watched[] {
  const { watched: only } = values;
  const found = WATCHED.filter((one) => only === undefined || only === one);
  if (found.length === 0) throw new Error(`nothing is watched as "${only}": there are ${WATCHED.join(', ')}`);
  return found;
}

function historyOf(seed: number, what: Watched): History {
  const drawn = drawHistory(seed, Number(values.days), kinds(), values.unstretched ? 'off' : 'on');
  const history = OVER[what](drawn);
  const only = values.only?.split(',');
  return only === undefined ? history : { ...history, faults: history.faults.filter(({ id }) => only.includes(id)) };
}

/** Its logs are not those of the seed. */
function isPart({ seed, days, faults, watched: what }: History): boolean {
  return faults.length !== OVER[what](drawHistory(seed, days, FAULT_KINDS)).faults.length;
}

function kinds(): readonly FaultKind[] {
  return values.faults === undefined ? FAULT_KINDS : values.faults.split(',').map(kindOf);
}

function kindOf(name: string): FaultKind {
  const kind = ALL_KINDS.find((one) => one === name);
  if (kind === undefined) throw new Error(`no fault "${name}": there are ${ALL_KINDS.join(', ')}`);
  return kind;
}

async function look(history: History): Promise<{ found: Found; text: string; sightings: Logs['sightings'] }> {
  const keeping = isPart(history) ? null : kept;
  const logs = await (keeping?.of(history, () => run(history)) ?? run(history));
  const found = verdictsOf(logs);
  keeping?.judged(history, found.unknown);
  return { found, text: summaryOf(history, logs, found), sightings: logs.sightings };
}

function summaryOf({ seed, days, faults, watched: what }: History, logs: Logs, { unknown, open }: Found): string {
  const counts = `${faults.length} faults, ${logs.polls.length} polls, ${logs.people.tries.length} tries`;
  const known = [...open.values()].reduce((sum, count) => sum + count, 0);
  const wrong = unknown.length === 0 ? 'nothing is wrong' : `${unknown.length} things are wrong`;
  const often = what === 'contracts' ? `; ${showOccurrences(occurrencesByDay(logs.chain, logs.span))}` : '';
  return `seed ${seed}, ${what}: ${days} days, ${counts}: ${wrong}, and ${known} are known${often}`;
}

function showVerdict({
  at,
  check,
  watch,
  what,
}: Pick<Verdict | PeopleVerdict, 'at' | 'check' | 'watch' | 'what'>): string {
  return `${new Date(at).toISOString()} ${check} ${watch}: ${what}`;
}

async function printShortest(history: History, first: Verdict | PeopleVerdict): Promise<void> {
  const shortest = await shrink(history, first, async (shorter) => (await look(shorter)).found.unknown[0] ?? null);
  const { seed, days, faults, watched: what } = shortest.history;
  print(`the shortest history that fails in this way: ${showVerdict(shortest.verdict)}`);
  for (const fault of faults) print(`  ${showFault(fault)}`);
  print(
    `  npm run chaos -- --watched ${what} --seed ${seed} --days ${days} --only ${faults.map(({ id }) => id).join(',') || 'none'}`,
  );
}

function showFault({ id, kind, at, ms, times, path, amount }: PlannedFault): string {
  return `${id} ${new Date(at).toISOString()} ${kind} ${JSON.stringify({ ms, times, path, amount })}`;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
