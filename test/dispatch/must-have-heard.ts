// A second, deliberately naive model of dispatch: it knows nothing of groups, timers, states or rounds. From what happened
// to an alert and what was sent about it, it says what is missing or too much.
import type { PendingTransition, TransitionName } from '../../src/dispatch/model.ts';
import { linesOf, type SentLine } from './histories.ts';
import type { InMemoryDispatch } from './in-memory.ts';

/** From a begin to its end, or to the present. */
interface Episode {
  readonly begin: PendingTransition;
  readonly updates: PendingTransition[];
  end: PendingTransition | null;
}

const BEGINS: ReadonlySet<TransitionName> = new Set(['event', 'firing', 'reinstated']);

/** What is wrong; of a target that was named from the first day on, once everything has come to rest. */
export function mustHaveHeard(dispatch: InMemoryDispatch, channel: string, key: string): string[] {
  const lines = linesOf(dispatch, channel, key);
  const news = dispatch.alerts.get(key)?.news ?? [];
  return episodesOf(news).flatMap((episode) => {
    const problem = wrongWith(episode, lines, { dispatch, isMachine: channel === 'hook' });
    return problem === null ? [] : [`${channel} ${key}/${episode.begin.seq}: ${problem}`];
  });
}

function episodesOf(news: readonly PendingTransition[]): Episode[] {
  const episodes: Episode[] = [];
  for (const one of news) {
    if (BEGINS.has(one.transition)) episodes.push({ begin: one, updates: [], end: null });
    else if (one.transition === 'corrected') episodes.at(-1)?.updates.push(one);
    else Object.assign(episodes.at(-1) ?? {}, { end: one });
  }
  return episodes;
}

interface Where {
  readonly dispatch: InMemoryDispatch;
  readonly isMachine: boolean;
}

function wrongWith({ begin, updates, end }: Episode, lines: readonly SentLine[], where: Where): string | null {
  const told = lineOf(lines, begin);
  const over = end === null ? undefined : lineOf(lines, end);
  if (told !== undefined && wasAccepted(begin, end, lines)) return wrongWhenTold(updates, end, over, lines);
  if (told !== undefined && end === null) return null;
  if (over?.as === 'fired-and-resolved') return end?.transition === 'resolved' ? null : 'retracted, and told';
  if (over !== undefined) return 'its end was told without its begin';
  const { silences, setup } = where.dispatch;
  const wasMuted = silences.length > 0 || (setup.inhibit ?? []).length > 0;
  return end?.transition === 'retracted' || (where.isMachine && wasMuted) ? null : 'nobody heard of it';
}

function wrongWhenTold(
  updates: readonly PendingTransition[],
  end: PendingTransition | null,
  over: SentLine | undefined,
  lines: readonly SentLine[],
): string | null {
  if (end !== null && over?.as !== 'news') return 'its end is missing';
  const unsaid = updates.filter((one) => lineOf(lines, one) === undefined);
  // An update that its end overtook, or that was held until then, need not be said.
  return unsaid.length > 0 && end === null ? 'a correction is missing' : null;
}

/** False: all that was sent from the begin to before the end was refused. */
function wasAccepted(begin: PendingTransition, end: PendingTransition | null, lines: readonly SentLine[]): boolean {
  const to = end?.seq ?? Infinity;
  return lines.some(({ seq, message }) => begin.seq <= seq && seq < to && message.state !== 'dead');
}

function lineOf(lines: readonly SentLine[], { seq }: PendingTransition): SentLine | undefined {
  return lines.find((line) => line.seq === seq && line.as !== 'repeat');
}
