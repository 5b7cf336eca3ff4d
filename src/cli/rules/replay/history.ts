// Replays rules over data that the explorers of the config still have. The replay first makes an estimate, which needs
// requests too. The cost of each step is printed before its requests are sent. More than `MOST_UNASKED` requests need
// --yes.
import type { ExplorerSet } from '../../../app/runtime/explorers.ts';
import type { Setup } from '../../../app/setup/setup.ts';
import type { Config } from '../../../config/model.ts';
import { type Instant, showInstant } from '../../../lib/clock.ts';
import type { Watch } from '../../../core/model/watch/watch.ts';
import { Missed, type Read } from '../../../core/model/watch/question.ts';
import { inColumns } from '../../../lib/columns.ts';
import { singleLine } from '../../../lib/untrusted.ts';
import {
  questionGroupsOf,
  estimatePages,
  historyPolls,
  readHistory,
  type QuestionGroup,
  type ReplayedHistory,
  type HistoryDepth,
} from '../../../replay/history.ts';
import type { ReplayedMessage } from '../../../replay/run.ts';
import { replayReportOf, type ReplayReport } from '../../../replay/report.ts';
import { CommandError, EXIT } from '../../exit.ts';
import { count } from './print.ts';
import { instantOf } from '../../times.ts';
import { rangeOf, replayAll, type TimeRangeOptions } from './messages.ts';
import { openExplorers } from '../../open-explorers.ts';
import type { Terminal } from '../../terminal.ts';

export interface ReplayHistoryOptions extends TimeRangeOptions {
  /** The limit of pages that are requested for one question. A question is one list of one explorer. */
  readonly maxPages: number;
  /** True if the requests may be made at any cost. */
  readonly yes: boolean;
}

/** Up to this many requests are made without --yes. */
const MOST_UNASKED = 100;

/** Resolves with null if the cost needs --yes and the option is not given. */
export async function replayHistory(
  terminal: Terminal,
  setup: Setup,
  options: ReplayHistoryOptions,
): Promise<ReplayReport | null> {
  const now = terminal.clock.now();
  if (options.since === undefined) throw new CommandError(EXIT.usage, HOW);
  const reach: HistoryDepth = { from: instantOf(options.since, now), now, maxPages: Math.max(1, options.maxPages) };
  const range = rangeOf(options, { from: reach.from, until: now });
  const { groups, without } = questionGroupsOf(setup.watches);
  for (const { name, kind } of without)
    terminal.err(`${name}: ${kind.name} has no history on an explorer; record first\n`);
  if (groups.length === 0) throw new CommandError(EXIT.problems, 'none of these watches can be replayed. ' + HOW);
  if (!mayEstimate(terminal, groups, options)) return null;

  await using explorers = openExplorers(terminal, setup.config);
  (await explorers.prepare(askedOnly(setup.config, groups))).commit();
  const priced = await price(terminal, explorers, groups, reach);
  if (priced.length === 0) throw new CommandError(EXIT.problems, 'no explorer answered: nothing was replayed');
  if (!mayAsk(terminal, priced, options)) return null;

  const messages: ReplayedMessage[] = [];
  const watches: Watch[] = [];
  const knownFrom = new Map<Watch, Instant>();
  for (const { group, read } of priced) {
    const history = await readBack(terminal, group, read, reach);
    if (history === null) continue;
    watches.push(...group.watches);
    for (const watch of group.watches) knownFrom.set(watch, history.from);
    messages.push(
      ...(await replayAll(terminal, { ...setup, watches: group.watches }, (watch) =>
        historyPolls(watch, group, history, range.until),
      )),
    );
  }
  return replayReportOf(watches, messages, range, knownFrom);
}

const HOW = 'Name a recording with --recording FILE, or say how far back to ask the explorers with --since 24h.';

/** Prints the cost of the estimate: one request for each question. Returns false if this cost needs --yes. */
function mayEstimate(terminal: Terminal, groups: readonly QuestionGroup[], { yes }: ReplayHistoryOptions): boolean {
  const credits = groups.reduce((sum, { question }) => sum + question.credits, 0);
  terminal.err(`the estimate asks for one page each: ${priceOf(groups.length, credits)}\n`);
  return yes || groups.length <= MOST_UNASKED || stopHere(terminal, 'nothing was asked');
}

interface Priced {
  readonly group: QuestionGroup;
  /** A reader of one tick. It caches answers, so pages that the estimate read are not requested again. */
  readonly read: Read;
  readonly pages: number;
}

async function price(
  terminal: Terminal,
  explorers: ExplorerSet,
  groups: readonly QuestionGroup[],
  reach: HistoryDepth,
): Promise<readonly Priced[]> {
  const priced: Priced[] = [];
  for (const group of groups) {
    const read = explorers.get(group.question.explorer)?.tickReader();
    if (read === undefined) continue;
    const pages = await estimatePages(read, group, reach).catch((error: unknown) => left(terminal, group, error));
    if (pages !== null) priced.push({ group, read, pages });
  }
  return priced;
}

/** Prints the cost of the pages that the estimate did not read. Returns false if this cost needs --yes. */
function mayAsk(terminal: Terminal, priced: readonly Priced[], { yes, maxPages }: ReplayHistoryOptions): boolean {
  const rows = priced.map(({ group: { question }, pages }) => ({
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
    `${what}: more than ${count(MOST_UNASKED, 'request')} need --yes. ` +
      'Add it, or ask for less: a shorter --since, fewer rule files, a smaller --max-pages.\n',
  );
  return false;
}

function priceOf(requests: number, credits: number): string {
  return `${count(requests, 'request')}, ${count(credits, 'credit')}`;
}

async function readBack(
  terminal: Terminal,
  group: QuestionGroup,
  read: Read,
  reach: HistoryDepth,
): Promise<ReplayedHistory | null> {
  try {
    const history = await readHistory(read, group, reach);
    if (history.partial !== null)
      terminal.err(`${namesOf(group)}: only back to ${showInstant(history.from)}: ${history.partial}\n`);
    return history;
  } catch (error) {
    return left(terminal, group, error);
  }
}

/**
 * Prints that these watches are left out, since their explorer did not answer. The replay continues with the others.
 */
function left(terminal: Terminal, group: QuestionGroup, error: unknown): null {
  if (!(error instanceof Missed)) throw error;
  terminal.err(`${namesOf(group)}: left out, for the explorer did not answer (${singleLine(error.message)})\n`);
  return null;
}

function namesOf({ watches }: QuestionGroup): string {
  return watches.map(({ name }) => name).join(', ');
}

/** A sandbox explorer starts a server when it is opened, so only the explorers of these questions are opened. */
function askedOnly(config: Config, groups: readonly QuestionGroup[]): Config {
  const asked = new Set(groups.map(({ question }) => question.explorer));
  return { ...config, explorers: new Map([...config.explorers].filter(([name]) => asked.has(name))) };
}
