// A state shown as shape, word and colour. Colour marks problems only; info has none.
import type { SeverityShape, RecipientStatus } from '../../query/shapes/common.ts';
import type { WatchRow, WatchState } from '../../query/shapes/watches.ts';
import { html, type HtmlContent, type Html } from './html.ts';
import { icon, type IconName } from './icons.ts';
import { ageOf, duration, type Moment } from './time.ts';

export type StateTone = 'alarm' | 'warn' | 'blind' | 'ok';

export function stateTag(tone: StateTone, name: IconName, words: HtmlContent): Html {
  return html`<span class="state ${tone}">${icon(name)}${words}</span>`;
}

export function toneOf(severity: SeverityShape): StateTone {
  if (severity === 'critical') return 'alarm';
  return severity === 'warning' ? 'warn' : 'ok';
}

/** The tone of a row or a card: info has no colour. */
export function rowTone(severity: SeverityShape): string {
  return severity === 'info' ? '' : toneOf(severity);
}

export function severityTag(severity: SeverityShape, words: HtmlContent): Html {
  return stateTag(toneOf(severity), severity, words);
}

/** `'Critical'` */
export function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

const WATCH_ICONS: Readonly<Record<WatchState, readonly [StateTone, IconName]>> = {
  firing: ['alarm', 'critical'],
  pending: ['warn', 'clock'],
  blind: ['blind', 'blind'],
  paused: ['ok', 'paused'],
  silenced: ['ok', 'muted'],
  starting: ['ok', 'clock'],
  ok: ['ok', 'ok'],
};

export function watchStateTag(state: WatchState, severity: SeverityShape | null, words: HtmlContent): Html {
  if (state === 'firing' && severity !== null) return severityTag(severity, words);
  const [tone, name] = WATCH_ICONS[state];
  return stateTag(tone, name, words);
}

/** `Firing 14 min`; `Pending, fires in 1 min 18 s`; a watch that is ok has no time. */
export function stateWords(
  { state, since, fires_at: firesAt }: Pick<WatchRow, 'state' | 'since' | 'fires_at'>,
  moment: Moment,
): string {
  const name = capital(state);
  if (state === 'pending' && firesAt !== null) {
    const ms = Date.parse(firesAt) - moment.now;
    return ms > 0 ? `${name}, fires in ${duration(ms)}` : `${name}, fires at its next poll`;
  }
  return since === null || state === 'ok' ? name : `${name} ${duration(ageOf(since, moment))}`;
}

export function watchRowTone(state: WatchState, severity: SeverityShape | null): string {
  if (state === 'blind') return 'blind';
  return (state === 'firing' || state === 'pending') && severity !== null ? rowTone(severity) : '';
}

type Progress = Pick<RecipientStatus, 'state' | 'tries'>;

/** A message that was not tried yet is no failure. */
export function recipientLook({ state, tries }: Progress): readonly [StateTone, IconName] {
  if (state === 'accepted') return ['ok', 'check'];
  if (state === 'held') return ['ok', 'muted'];
  return state === 'owed' && tries === 0 ? ['ok', 'clock'] : ['alarm', 'cross'];
}

export function recipientTag(progress: Progress, words: HtmlContent): Html {
  const [tone, name] = recipientLook(progress);
  return stateTag(tone, name, words);
}
