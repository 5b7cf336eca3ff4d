// What people are told of silences, pauses and acknowledgements, in words.
import { showTime } from '../../core/wording/words.ts';
import { showMatcher } from '../../dispatch/policy/matcher-text.ts';
import type { Silence } from '../../dispatch/model.ts';
import type { Instant } from '../../lib/clock.ts';
import { singleLine } from '../../lib/untrusted.ts';
import type { Announceable, OperatorChange, Intervention } from '../../store/contract/operators.ts';
import type { AnnouncementText } from './announcement.ts';

/** Who ends what no operator ends. */
export const DAEMON = 'daemon';

/** The change as it was asked for, and as it was made. */
export interface Done {
  readonly change: Intervention;
  readonly changed: OperatorChange;
  readonly actor: string;
  readonly at: Instant;
  /** How people call the alert that it is about; null where it is about none. */
  readonly alert: string | null;
}

/** Null: nobody is told of such a change. */
export function newsOf({ change, changed, actor, at, alert }: Done): AnnouncementText | null {
  switch (changed.type) {
    case 'silence':
      return silenceNews(changed.silence, change.type, actor, at);
    case 'pause': {
      const { watch, until, comment } = changed.pause;
      if (change.type === 'end-pause') return news('pause', `${actor} resumed ${watch}`, null);
      return news('pause', `${actor} paused ${watch} until ${showTime(until, at)}`, comment);
    }
    case 'ack': {
      const name = alert ?? changed.ack.key;
      if (change.type === 'ack')
        return news(
          'ack',
          `${actor} acknowledged ${name} until ${showTime(changed.ack.until, at)}`,
          changed.ack.comment,
        );
      if (actor !== DAEMON) return news('ack', `${actor} took the acknowledgement of ${name} back`, null);
      return news('ack', `the acknowledgement of ${name} by ${changed.ack.actor} is over: it is more severe now`, null);
    }
    case 'delivery':
    case 'channel':
    case 'sample':
      return null;
  }
}

function silenceNews(silence: Silence, type: Intervention['type'], actor: string, at: Instant): AnnouncementText {
  const { matchers, from, until, comment } = silence;
  const what = showMatcher(matchers);
  if (type === 'extend-silence')
    return news('silence', `${actor} extended the silence of ${what} until ${showTime(until, at)}`, comment);
  if (type === 'end-silence' && actor !== DAEMON)
    return news('silence', `${actor} ended the silence of ${what}`, comment);
  if (type === 'end-silence')
    return news('silence', `the silence of ${what} by ${silence.actor} is over: nothing of it fires any more`, comment);
  const begin = from > at ? `from ${showTime(from, at)} ` : '';
  return news('silence', `${actor} silenced ${what} ${begin}until ${showTime(until, at)}`, comment);
}

const REMIND_MS = 86_400_000;

/** What time alone has brought; null where people know. `occasion` tells it from what they were told before. */
export function newsByTime(
  stored: Announceable,
  at: Instant,
): { readonly news: AnnouncementText; readonly occasion: string } | null {
  const { silence, name, announcedAt } = stored;
  const { from, until, actor, comment, version } = silence;
  const isPause = silence.kind === 'pause';
  const of = `${isPause ? (name ?? '') : showMatcher(silence.matchers)} by ${actor}`;
  const told = (title: string, occasion: string) => ({
    news: news(silence.kind, title, comment),
    occasion: `${occasion} ${version}`,
  });
  if (until <= at) return announcedAt < until ? told(`the ${silence.kind} of ${of} is over`, 'over') : null;
  if (from <= at && announcedAt < from)
    return told(`the silence of ${of} begins, until ${showTime(until, at)}`, 'begins');
  if (isPause && announcedAt <= at - REMIND_MS)
    return told(`still paused: ${of}, until ${showTime(until, at)}`, `reminder ${at}`);
  return null;
}

const LONGEST_TITLE = 300;

function news(alert: AnnouncementText['alert'], title: string, comment: string | null): AnnouncementText {
  return { alert, title: singleLine(title, LONGEST_TITLE), comment };
}
