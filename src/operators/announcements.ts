// Announcements of silences, pauses and acknowledgements: events of the built-in watch, one for each change. They are stored
// with the change itself, so that no silence is in force without one.
import { idOf, labelsOfMessage } from '../core/model/watch/identity.ts';
import { ANNOUNCER, BUILT_IN, BUILT_IN_RULE } from '../core/model/ids.ts';
import type { Message } from '../core/model/delivery.ts';
import type { Transition } from '../core/model/transition.ts';
import { showTime } from '../core/wording/words.ts';
import type { AlertEpisode } from '../dispatch/model.ts';
import type { Moment } from '../lib/time-zone.ts';
import { showMatcher } from '../dispatch/policy/matcher-text.ts';
import type { Instant } from '../lib/clock.ts';
import { singleLine } from '../lib/untrusted.ts';
import type { Announceable } from '../store/contract/operators.ts';
import type { AnnouncementText } from './action.ts';

/** The actor of a change that no operator made. */
export const DAEMON = 'daemon';

/** Announcements with the same `id` are sent once. */
export interface AnnouncementTime {
  readonly id: string;
  readonly at: Instant;
  /** The zone of the times in messages. */
  readonly zone: string;
  /** The channels that get the announcement; if there is none, nothing is announced. */
  readonly notify: readonly string[];
}

export function announcementOf(
  text: AnnouncementText,
  { id, at, zone, notify }: AnnouncementTime,
): readonly Transition[] {
  if (notify.length === 0) return [];
  const message = messageOf(text, id, { now: at, zone });
  return [{ message, labels: labelsOfMessage(message), notify }];
}

/** Makes one announcement for each alert with events that nobody acknowledged while they were open. */
export function unansweredAnnouncements(
  events: readonly AlertEpisode[],
  { at, zone, notify }: Omit<AnnouncementTime, 'id'>,
): readonly Transition[] {
  const byAlert = Map.groupBy(events, ({ labels, watch, alert }) => `${labels['watch'] ?? watch}/${alert}`);
  return [...byAlert].flatMap(([name, all]) => {
    const [count, they] = all.length === 1 ? ['an event', 'it is'] : [`${all.length} events`, 'they are'];
    const title = `nobody acknowledged ${count} of ${name} within 7 days: ${they} not open any more`;
    const id = all.map(({ key, episode }) => `${key} ${episode}`).join(' ');
    return announcementOf({ alert: 'ack', title, comment: null }, { id, at, zone, notify });
  });
}

const LONGEST_TITLE = 300;

function messageOf({ alert, title, comment }: AnnouncementText, id: string, { now: at, zone }: Moment): Message {
  return {
    type: 'alert.event',
    key: idOf(ANNOUNCER, id),
    episode: 1,
    seq: 1,
    at,
    observedAt: at,
    since: at,
    firedAt: null,
    resolvedAt: null,
    late: false,
    reason: null,
    watch: BUILT_IN_RULE,
    alert,
    kind: BUILT_IN_RULE,
    severity: 'info',
    explorer: BUILT_IN_RULE,
    chainId: null,
    place: null,
    zone,
    of: null,
    token: null,
    title: singleLine(title, LONGEST_TITLE),
    detail: null,
    measured: null,
    lines: [],
    text: comment === null ? [] : [{ text: comment }],
    runbook: null,
    condition: 'what operators do',
    rule: BUILT_IN,
    fields: {},
    before: {},
    links: [],
    summary: null,
  };
}

const REMIND_MS = 86_400_000;

/**
 * An announcement that no action causes, only the time. `occasion` distinguishes it from earlier ones of the same
 * silence or pause.
 */
export interface DueAnnouncement {
  readonly text: AnnouncementText;
  readonly occasion: string;
}

/** Null if no announcement is due. */
export function dueAnnouncement({ silence, name, announcedAt }: Announceable, moment: Moment): DueAnnouncement | null {
  const at = moment.now;
  const { from, until, actor, comment, version, kind } = silence;
  const isPause = kind === 'pause';
  const of = `${isPause ? (name ?? '') : showMatcher(silence.matchers)} by ${actor}`;
  const due = (title: string, occasion: string): DueAnnouncement => {
    return { text: { alert: kind, title, comment }, occasion: `${occasion} ${version}` };
  };
  if (until <= at) return announcedAt < until ? due(`the ${kind} of ${of} is over`, 'over') : null;
  if (from <= at && announcedAt < from)
    return due(`the silence of ${of} begins, until ${showTime(until, moment)}`, 'begins');
  if (isPause && announcedAt <= at - REMIND_MS)
    return due(`still paused: ${of}, until ${showTime(until, moment)}`, `reminder ${at}`);
  return null;
}
