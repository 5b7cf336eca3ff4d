// Replay over what the explorers of the config still know. They are asked only after the price was said: first what the
// estimate costs, then what all of it does; beyond a limit only with --yes.
import { createExplorers, type Explorers } from '../app/explorers.ts';
import type { Setup } from '../app/setup.ts';
import { secretsOf, type Config } from '../config/config.ts';
import type { Instant, Watch } from '../core/model.ts';
import { Missed, type Read } from '../core/question.ts';
import { showInstant } from '../lib/clock.ts';
import { inColumns } from '../lib/columns.ts';
import { singleLine } from '../lib/untrusted.ts';
import {
  chaptersOf,
  estimatePages,
  historyPolls,
  readHistory,
  type Chapter,
  type History,
  type Reach,
} from '../replay/history.ts';
import type { Said } from '../replay/run.ts';
import { storyOf, type Story } from '../replay/story.ts';
import { createLog } from '../telemetry/logger.ts';
import { createMetrics } from '../telemetry/metrics.ts';
import { CommandError, EXIT } from './exit.ts';
import { count } from './replay-print.ts';
import { instantOf, rangeOf, sayAll, type Asked } from './replay-said.ts';
import type { Terminal } from './terminal.ts';
import { readVersion } from './version.ts';

export interface HistoryOptions extends Asked {
  /** Of one question, at most. */
  readonly maxPages: number;
  /** Asks the explorers whatever it costs. */
  readonly yes: boolean;
}

/** Up to this many requests are made without being told to. */
const MOST_UNASKED = 100;

/** Null when it stopped at the price. */
export async function tellHistory(terminal: Terminal, setup: Setup, options: HistoryOptions): Promise<Story | null> {
  const now = terminal.clock.now();
  if (options.since === undefined) throw new CommandError(EXIT.usage, HOW);
  const reach: Reach = { from: instantOf(options.since, now), now, maxPages: Math.max(1, options.maxPages) };
  const range = rangeOf(options, { from: reach.from, until: now });
  const { chapters, without } = chaptersOf(setup.watches);
  for (const { name, kind } of without)
    terminal.err(`${name}: ${kind.name} has no history on an explorer; record first\n`);
  if (chapters.length === 0) throw new CommandError(EXIT.problems, 'none of these watches can be replayed. ' + HOW);
  if (!mayEstimate(terminal, chapters, options)) return null;

  await using explorers = openExplorers(terminal, setup.config);
  (await explorers.prepare(askedOnly(setup.config, chapters))).commit();
  const priced = await price(terminal, explorers, chapters, reach);
  if (priced.length === 0) throw new CommandError(EXIT.problems, 'no explorer answered: nothing was replayed');
  if (!mayAsk(terminal, priced, options)) return null;

  const said: Said[] = [];
  const watches: Watch[] = [];
  const knownFrom = new Map<Watch, Instant>();
  for (const { chapter, read } of priced) {
    const history = await readBack(terminal, chapter, read, reach);
    if (history === null) continue;
    watches.push(...chapter.watches);
    for (const watch of chapter.watches) knownFrom.set(watch, history.from);
    said.push(...(await sayAll(terminal, chapter.watches, (watch) => historyPolls(watch, history, range.until))));
  }
  return storyOf(watches, said, range, knownFrom);
}

const HOW = 'Name a recording with --recording FILE, or say how far back to ask the explorers with --since 24h.';

/** One request for each question: as many as there are questions. */
function mayEstimate(terminal: Terminal, chapters: readonly Chapter[], { yes }: HistoryOptions): boolean {
  const credits = chapters.reduce((sum, { question }) => sum + question.credits, 0);
  terminal.err(`the estimate asks for one page each: ${priceOf(chapters.length, credits)}\n`);
  return yes || chapters.length <= MOST_UNASKED || stopHere(terminal, 'nothing was asked');
}

interface Priced {
  readonly chapter: Chapter;
  /** Of one tick: what the estimate read is not asked for again. */
  readonly read: Read;
  readonly pages: number;
}

async function price(
  terminal: Terminal,
  explorers: Explorers,
  chapters: readonly Chapter[],
  reach: Reach,
): Promise<readonly Priced[]> {
  const priced: Priced[] = [];
  for (const chapter of chapters) {
    const read = explorers.get(chapter.question.explorer)?.round();
    if (read === undefined) continue;
    const pages = await estimatePages(read, chapter.question, reach).catch((error: unknown) =>
      left(terminal, chapter, error),
    );
    if (pages !== null) priced.push({ chapter, read, pages });
  }
  return priced;
}

/** Pages that were read for the estimate are paid already. */
function mayAsk(terminal: Terminal, priced: readonly Priced[], { yes, maxPages }: HistoryOptions): boolean {
  const rows = priced.map(({ chapter: { question }, pages }) => ({
    name: `${question.explorer} ${question.path}`,
    requests: pages - 1,
    credits: (pages - 1) * question.credits,
    isCapped: pages >= maxPages,
  }));
  const requests = rows.reduce((sum, row) => sum + row.requests, 0);
  const credits = rows.reduce((sum, row) => sum + row.credits, 0);
  const cells = rows.map((row) => [
    row.name,
    `about ${priceOf(row.requests, row.credits)}${row.isCapped ? `, cut off at ${count(maxPages, 'page')}` : ''}`,
  ]);
  for (const line of inColumns([...cells, ['in sum', `about ${priceOf(requests, credits)}`]]))
    terminal.err(`${line}\n`);
  return yes || requests <= MOST_UNASKED || stopHere(terminal, 'nothing more was asked');
}

function stopHere(terminal: Terminal, what: string): false {
  terminal.err(
    `${what}, for that is more than ${count(MOST_UNASKED, 'request')}. ` +
      'Go on with --yes, or ask for less: a shorter --since, fewer rule files, a smaller --max-pages.\n',
  );
  return false;
}

function priceOf(requests: number, credits: number): string {
  return `${count(requests, 'request')}, ${count(credits, 'credit')}`;
}

async function readBack(terminal: Terminal, chapter: Chapter, read: Read, reach: Reach): Promise<History | null> {
  try {
    const history = await readHistory(read, chapter.question, reach);
    if (history.partial !== null)
      terminal.err(`${namesOf(chapter)}: only back to ${showInstant(history.from)}: ${history.partial}\n`);
    return history;
  } catch (error) {
    return left(terminal, chapter, error);
  }
}

/** An explorer that does not answer leaves its watches out; the others go on. */
function left(terminal: Terminal, chapter: Chapter, error: unknown): null {
  if (!(error instanceof Missed)) throw error;
  terminal.err(`${namesOf(chapter)}: left out, for the explorer did not answer (${singleLine(error.message)})\n`);
  return null;
}

function namesOf({ watches }: Chapter): string {
  return watches.map(({ name }) => name).join(', ');
}

function openExplorers(terminal: Terminal, config: Config): Explorers {
  const { clock } = terminal;
  const write = (line: string): void => {
    terminal.err(line);
  };
  return createExplorers({
    clock,
    log: createLog({ level: 'warn', format: 'text', clock, write, secrets: secretsOf(config) }),
    meter: createMetrics({ clock }),
    userAgent: `chainwarden/${readVersion()}`,
    signal: new AbortController().signal,
  });
}

/** An embedded explorer starts a server: only where it is asked. */
function askedOnly(config: Config, chapters: readonly Chapter[]): Config {
  const asked = new Set(chapters.map(({ question }) => question.explorer));
  return { ...config, explorers: new Map([...config.explorers].filter(([name]) => asked.has(name))) };
}
