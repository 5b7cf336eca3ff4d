// Prints what one oracle finds in a history and no entry of the open list covers. A line is a verdict, with tabs between its
// check (of people: with the duty), its time and its sentence. The oracle, what is watched, the seed, the days and the kinds of
// faults are given: `node test/simulation/bugs/uncovered.ts people accounts 1 3 sink-5xx,slow-sink`.
import { FAULT_KINDS } from '../faults/kinds.ts';
import { drawHistory } from '../history.ts';
import { OVER } from '../over.ts';
import { run } from '../run.ts';
import { foundOfAlerts, foundOfPeople } from '../verdicts.ts';

const [oracle, watched, seed, days, kinds] = process.argv.slice(2);
const under = kinds?.split(',');
const faults = under === undefined ? FAULT_KINDS : FAULT_KINDS.filter((kind) => under.includes(kind));
const what = watched === 'contracts' ? watched : 'accounts';
const logs = await run(OVER[what](drawHistory(Number(seed), Number(days), faults)));
const { unknown } = oracle === 'people' ? foundOfPeople(logs) : foundOfAlerts(logs);
for (const { at, what, ...verdict } of unknown) {
  const as = 'story' in verdict ? `${verdict.check} ${verdict.story.duty}` : verdict.check;
  process.stdout.write(`${[as, new Date(at).toISOString(), what].join('\t')}\n`);
}
