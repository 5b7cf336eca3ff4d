// Replicas under faults: `npm run nemesis -- --seed 7 --minutes 10`.
//
//   --seed N       which faults, in what order, and to whom (1)
//   --minutes M    about how long (2)
//   --faults A,B   only these kinds; "the database goes back" is struck only where it is named
//   --logs FOLDER  keeps what each replica prints, and what the oracle for people is told (`people.log`, JSON)
//   --bug NAME     with that bug in the sources, under the faults that show it
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { BUGS } from './bugs.ts';
import { ALL_FAULTS, EVERY_FAULT, type FaultName } from './faults/catalogue.ts';
import { run } from './run.ts';

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    minutes: { type: 'string', default: '2' },
    faults: { type: 'string' },
    bug: { type: 'string' },
    logs: { type: 'string' },
  },
});

const FAULTS_PER_MINUTE = 7;
const MOST_SHOWN = 30;
/** Much of what a bug loses never comes. */
const BUG_LAST_MS = 40_000;

const print = (line: string): void => void process.stdout.write(`${line}\n`);

const bug = values.bug === undefined ? null : bugNamed(values.bug);
const kinds = bug?.under ?? EVERY_FAULT;

const { findings, figures } = await run({
  seed: Number(values.seed),
  faults: Math.ceil(Number(values.minutes) * FAULTS_PER_MINUTE),
  kinds: values.faults === undefined ? kinds : values.faults.split(',').map(kindNamed),
  edits: bug?.edits ?? [],
  ...(bug && { lastMs: BUG_LAST_MS }),
  print,
  onLog: (replica, log) => {
    if (values.logs === undefined) return;
    mkdirSync(values.logs, { recursive: true });
    writeFileSync(join(values.logs, `${replica}.log`), log);
  },
});
print(JSON.stringify(figures));
for (const finding of findings.slice(0, MOST_SHOWN)) print(`  ${finding}`);
print(findings.length === 0 ? 'nothing is wrong' : `${findings.length} findings`);
process.exitCode = findings.length === 0 ? 0 : 1;

function kindNamed(name: string): FaultName {
  const found = ALL_FAULTS.find((kind) => kind === name);
  if (found === undefined) throw new Error(`no fault "${name}": there are ${ALL_FAULTS.join(', ')}`);
  return found;
}

function bugNamed(name: string): (typeof BUGS)[string] {
  const bug = BUGS[name];
  if (bug === undefined) throw new Error(`no bug "${name}": there are ${Object.keys(BUGS).join(', ')}`);
  return bug;
}
