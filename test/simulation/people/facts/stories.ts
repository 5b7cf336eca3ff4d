// What happened to each alert, as it was committed: from a begin to its end.
import type { Instant } from '../../model.ts';
import type { CommittedTransition, PeopleLog, SeverityName, TransitionType } from '../log.ts';
import { countUntil } from './spans.ts';
import { SELF } from './timeline.ts';

export interface Happened extends CommittedTransition {
  /** When it was in the store, or could be told from memory. */
  readonly knownAt: Instant;
}

export interface Story {
  readonly id: string;
  /** `watch/alert` */
  readonly rule: string;
  readonly isSelf: boolean;
  readonly form: 'event' | 'condition';
  readonly key: string;
  readonly episode: number;
  readonly begin: Happened;
  readonly from: Instant;
  /** Corrections and raised severities. */
  readonly changes: readonly Happened[];
  readonly end: Happened | null;
  /** Infinity: it goes on. */
  readonly to: Instant;
  /** Ends of some of those that were folded into it. */
  readonly partsEnded: readonly Happened[];
}

interface Growing extends Story {
  readonly changes: Happened[];
  end: Happened | null;
  to: Instant;
  readonly partsEnded: Happened[];
  /** The keys of a summary that are not retracted. */
  readonly left: Set<string>;
}

export interface Stories {
  readonly all: readonly Story[];
  readonly transitionOf: (key: string, seq: number) => Happened | null;
  /** To which a transition of that key belongs. */
  readonly storiesOf: (key: string, seq: number) => readonly Story[];
  /** The next of its key. */
  readonly after: (story: Story) => Story | null;
}

const BEGINS: ReadonlySet<TransitionType> = new Set(['event', 'firing', 'reinstated']);
const ENDS: ReadonlySet<TransitionType> = new Set(['resolved', 'retracted']);
export const isBegin = (type: TransitionType): boolean => BEGINS.has(type);
export const isEnd = (type: TransitionType): boolean => ENDS.has(type);
export const RANK: Readonly<Record<SeverityName, number>> = { info: 0, warning: 1, critical: 2 };

export function storiesIn({ transitions }: Pick<PeopleLog, 'transitions'>): Stories {
  const ofKey = new Map<string, Growing[]>();
  const folder = new Map<string, Growing>();
  const byPlace = new Map<string, Happened>();
  const belongs = new Map<string, Growing[]>();
  const all: Growing[] = [];

  function begin(happened: Happened): void {
    const story = storyOf(happened);
    all.push(story);
    const known = ofKey.get(story.key);
    if (known === undefined) ofKey.set(story.key, [story]);
    else known.push(story);
    for (const key of happened.foldedKeys ?? []) folder.set(key, story);
  }

  function goOn(happened: Happened): void {
    const keys = happened.foldedKeys ?? [happened.key];
    const touched = keys.flatMap((key) => continueOne(key, happened));
    if (happened.foldedKeys !== null) belongs.set(happened.key, [...new Set(touched)]);
    if (happened.type === 'reinstated' && touched.length === 0) begin(happened);
  }

  /** Those to which it belongs. */
  function continueOne(key: string, happened: Happened): Growing[] {
    const last = ofKey.get(key)?.at(-1);
    const open = last?.end === null ? last : undefined;
    if (open !== undefined) {
      if (!isEnd(happened.type)) open.changes.push(happened);
      else [open.end, open.to] = [happened, happened.knownAt];
      return [open];
    }
    const whole = folder.get(key);
    if (whole === undefined || !isEnd(happened.type)) return [];
    if (whole.partsEnded.at(-1) !== happened) whole.partsEnded.push(happened);
    whole.left.delete(key);
    if (whole.left.size === 0 && whole.end === null) [whole.end, whole.to] = [happened, happened.knownAt];
    return [whole];
  }

  for (const one of inOrder(transitions)) {
    byPlace.set(`${one.key} ${one.seq}`, one);
    const isOpen = ofKey.get(one.key)?.at(-1)?.end === null;
    if (isBegin(one.type) && !isOpen && one.type !== 'reinstated') begin(one);
    else goOn(one);
  }
  return {
    all,
    transitionOf: (key, seq) => byPlace.get(`${key} ${seq}`) ?? null,
    storiesOf(key, seq) {
      const own = ofKey.get(key);
      if (own === undefined) return belongs.get(key) ?? partOf(folder.get(key));
      const place = countUntil(own.length, (n) => (own[n]?.begin.seq ?? Infinity) <= seq);
      return [...own.slice(Math.max(place - 1, 0), place), ...(belongs.get(key) ?? [])];
    },
    after({ key, begin: { seq } }) {
      const own = ofKey.get(key) ?? [];
      return own[countUntil(own.length, (n) => (own[n]?.begin.seq ?? Infinity) <= seq)] ?? null;
    },
  };
}

function partOf(story: Story | undefined): readonly Story[] {
  return story === undefined ? [] : [story];
}

/** Two of one commit: as they follow from one another. */
function inOrder(transitions: readonly CommittedTransition[]): Happened[] {
  const known = transitions.flatMap((one) => {
    const knownAt = one.at ?? one.fromMemoryAt;
    return knownAt === null ? [] : [{ ...one, knownAt }];
  });
  return known.toSorted((a, b) => a.knownAt - b.knownAt || (a.key === b.key ? a.seq - b.seq : 0));
}

function storyOf(begin: Happened): Growing {
  const { key, episode, seq, labels, type, knownAt } = begin;
  const watch = labels['watch'] ?? begin.watch;
  return {
    id: `${key} ${seq}`,
    rule: `${watch}/${labels['alert'] ?? begin.alert}`,
    isSelf: watch === SELF,
    form: type === 'firing' ? 'condition' : 'event',
    key,
    episode,
    begin,
    from: knownAt,
    changes: [],
    end: null,
    to: Infinity,
    partsEnded: [],
    left: new Set(begin.foldedKeys),
  };
}
