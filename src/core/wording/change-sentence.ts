// The sentence of an `on: changed` event of any kind.
import type { EventOccasion, KindWording, WatchNames, Sentence } from '../model/watch/wording.ts';
import type { Segment } from '../model/watch/condition.ts';
import { encodedAt } from '../values/tracked.ts';
import { recordTypeOf, typeAt, valueAt, type AnyView, type Json } from '../values/fields.ts';
import type { Untrusted } from '../../lib/untrusted.ts';
import { movedWords, ownValue } from './values.ts';
import { lineOf, quotedText, showPath } from './words.ts';

/**
 * `treasury USDC 970,030, was 1,090,237`; if the value is text from the chain, the title shows only that it changed.
 * `name`: returns the name of the value at a path.
 */
export function changeSentence(occasion: EventOccasion, name: (path: string) => string): Sentence {
  const { names, view, before, compared } = occasion;
  const path = changedPath(view, before, compared);
  if (path === undefined) return { title: `${name('')} changed`, detail: null, measured: null, lines: [] };
  const now = ownValue(occasion, path);
  const then = before === null ? undefined : ownValue({ names, view: before }, path);
  if (now === undefined || then === undefined)
    return {
      title: `${name(path)} changed`,
      detail: null,
      measured: null,
      lines: textLines(view, before, path),
      shows: [path],
    };
  const limit = occasion.limitOf(path);
  const detail = `${now}${limit === null ? '' : `, ${limit}`}, was ${then}`;
  const lines = lineOf(movedWords(view, before, path));
  return { title: `${name(path)} ${detail}`, detail, measured: now, lines, shows: [path] };
}

function changedPath(view: AnyView, before: AnyView | null, compared: readonly string[]): string | undefined {
  return changedPaths(view, before, compared)[0] ?? compared[0];
}

/** A value that is unknown now has not changed. Values that were known before come first. */
export function changedPaths(
  view: AnyView,
  before: AnyView | null,
  compared: readonly string[],
  valueOf: (one: AnyView, path: string) => Json = encodedAt,
): readonly string[] {
  if (before === null) return [];
  const changes = compared.flatMap((path) => {
    const [now, then] = [valueOf(view, path), valueOf(before, path)];
    return now === null || JSON.stringify(now) === JSON.stringify(then) ? [] : [{ path, isFirst: then === null }];
  });
  return changes.toSorted((a, b) => Number(a.isFirst) - Number(b.isFirst)).map(({ path }) => path);
}

/** `Now "USD Coin". Last poll "USDC".` */
function textLines(view: AnyView, before: AnyView | null, path: string): readonly (readonly Segment[])[] {
  const now = textAt(view, path);
  const then = before === null ? undefined : textAt(before, path);
  const parts = [
    ...(now === undefined ? [] : quotedText('Now', now)),
    ...(now === undefined || then === undefined ? [] : [{ text: ' ' }]),
    ...(then === undefined ? [] : quotedText('Last poll', then)),
  ];
  return parts.length === 0 ? [] : [parts];
}

export function textAt(view: AnyView, path: string): Untrusted | undefined {
  const value = valueAt(view, path);
  return typeAt(recordTypeOf(view), path)?.type === 'text' ? (value as Untrusted | undefined) : undefined;
}

interface PlainWords {
  /** The counted noun: `call`. */
  readonly noun: string;
  readonly thing?: KindWording['thing'];
  /** The paths of the watched value itself, which need no name. */
  readonly main?: readonly string[];
}

/** The wording of a kind without sentences of its own: by the target, and the names of its fields. */
export function plainWording({ noun, thing = thingOf, main = [] }: PlainWords): KindWording {
  const placed = (names: WatchNames, named: string): string =>
    names.place === thing(names) ? named : `${named}${onPlace(names)}`;
  const value: KindWording['value'] = ({ names }, path) =>
    placed(names, path === '' || main.includes(path) ? thing(names) : `${thing(names)} ${showPath(path)}`);
  return {
    thing: (names) => placed(names, thing(names)),
    value,
    items: () => ({ one: noun, noun }),
    event: (occasion) =>
      occasion.on === 'changed'
        ? changeSentence(occasion, (path) => value(occasion, path))
        : {
            title: `${placed(occasion.names, thing(occasion.names))}: ${occasion.on} ${noun}`,
            detail: null,
            measured: null,
            lines: [],
          },
  };
}

/** ` on base` if the rule watches several explorers; else empty. */
export function onPlace({ place }: WatchNames): string {
  return place === null ? '' : ` on ${place}`;
}

function thingOf({ of, token, explorer }: WatchNames): string {
  const named = [of, token].filter((one) => one !== null);
  return named.length === 0 ? explorer : named.join(' ');
}
