// Writes the series of one metric in the text format 0.0.4. prom-client takes 35 ms to render 10,000 series, and as long to
// be filled with them; written directly they cost a tenth of that. Polls that are due run in between.
//
// What is written becomes bytes after each thousand lines: as texts that live until the end of a scrape, the 100,000 lines of
// 10,000 watches took 70 MB that the collector was late to give back.
import { nextTurn } from '../lib/clock.ts';
import { METRICS, type MetricName } from './metric-table.ts';
import type { MetricRow } from './metric-rows/row.ts';

export interface SeriesText {
  /** One after the other they are the whole text, which ends with the end of a line. */
  readonly pieces: readonly Buffer[];
  /** How many series were left out because of the limit. */
  readonly more: number;
}

type Values = Readonly<Record<string, string>>;

/** Adds up those with equal labels. */
export async function writeSeries(
  name: MetricName,
  series: Iterable<readonly [Values, number]>,
  most: number,
): Promise<SeriesText> {
  const row: MetricRow = METRICS[name];
  const tree = new SeriesTree(row.labels);
  // A copy, since what is mirrored may change between two turns: a series that is removed and added again is one.
  await inTurns([...series], ([labels, value]) => {
    tree.placeOf(labels).value += value;
  });
  const end = row.labels.length === 0 ? '' : '}';
  const lines = new Lines(head(name, row));
  const found = await inTurns(tree.leaves(name), ([text, value], i) => {
    if (i < most) lines.add(`${text}${end} ${value}`);
  });
  return { pieces: lines.end(), more: Math.max(0, found - most) };
}

function head(name: string, { help, type }: MetricRow): string[] {
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`];
}

class Lines {
  readonly #pieces: Buffer[] = [];
  #lines: string[];

  constructor(first: string[]) {
    this.#lines = first;
  }

  add(line: string): void {
    this.#lines.push(line);
    if (this.#lines.length >= AT_ONCE) this.#write();
  }

  end(): readonly Buffer[] {
    this.#write();
    return this.#pieces;
  }

  #write(): void {
    if (this.#lines.length > 0) this.#pieces.push(Buffer.from(`${this.#lines.join('\n')}\n`));
    this.#lines = [];
  }
}

/** By the values of the labels, a level for each label: of ten thousand series the text of few values is made anew. */
interface Branch {
  branches: Map<string, Branch> | null;
  value: number;
}

type Leaf = readonly [text: string, value: number];

class SeriesTree {
  readonly #labels: readonly string[];
  readonly #root: Branch = { branches: null, value: 0 };
  #isEmpty = true;

  constructor(labels: readonly string[]) {
    this.#labels = labels;
  }

  placeOf(values: Values): Branch {
    this.#isEmpty = false;
    let place = this.#root;
    for (const label of this.#labels) place = branchOf(place, values[label] ?? '');
    return place;
  }

  /** `name{watch="a",of="b"` and its value, each; those with one value of the first label are made together. */
  *leaves(name: string): Generator<Leaf> {
    const [first] = this.#labels;
    if (this.#isEmpty) return;
    if (first === undefined) yield [name, this.#root.value];
    for (const [value, branch] of this.#root.branches ?? [])
      yield* this.#leavesOf(branch, 1, `${name}{${first}="${escapeLabel(value)}"`);
  }

  #leavesOf({ branches, value }: Branch, level: number, text: string): readonly Leaf[] {
    const label = this.#labels[level];
    if (label === undefined) return [[text, value]];
    return [...(branches ?? [])].flatMap(([written, branch]) =>
      this.#leavesOf(branch, level + 1, `${text},${label}="${escapeLabel(written)}"`),
    );
  }
}

function branchOf(place: Branch, value: string): Branch {
  place.branches ??= new Map();
  const known = place.branches.get(value);
  if (known !== undefined) return known;
  const fresh: Branch = { branches: null, value: 0 };
  place.branches.set(value, fresh);
  return fresh;
}

const AT_ONCE = 1000;

/** Resolves with how many they are. */
async function inTurns<T>(all: Iterable<T>, work: (one: T, i: number) => void): Promise<number> {
  let done = 0;
  for (const one of all) {
    work(one, done);
    done += 1;
    if (done % AT_ONCE === 0) await nextTurn();
  }
  return done;
}

function escapeLabel(value: string): string {
  return NEEDS_ESCAPE.test(value)
    ? value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
    : value;
}

const NEEDS_ESCAPE = /["\\\n]/;
