// The sentences of a contract. Names that contracts give themselves stand in quotes below the subject.
import { Address } from '../../core/values/address.ts';
import { encodedAt } from '../../core/values/encoded.ts';
import { valueAt, type AnyView, type Json } from '../../core/values/fields.ts';
import type { Segment } from '../../core/model/watch/condition.ts';
import type {
  EventOccasion,
  KindWording,
  Sentence,
  StateOccasion,
  WatchNames,
  WordingContext,
} from '../../core/model/watch/wording.ts';
import type { Untrusted } from '../../lib/untrusted.ts';
import { addressWords, changedPaths, changeSentence, ownValue, plainWording } from '../../core/wording/values.ts';
import { capital, quotedText, showPath } from '../../core/wording/words.ts';
import { listedIn, type ContractView } from '../contract/reading.ts';

const plain = plainWording({ noun: 'contract', thing: ({ of }) => of ?? '' });

export const contractWording: KindWording = {
  ...plain,
  event: (occasion) => (occasion.on === 'changed' ? changedSentence(occasion) : plain.event(occasion)),
  state: stateWords,
};

/** Paths that say which contracts are behind a proxy. */
const OF_THE_CODE = ['implementations', 'implementation'];

function changedSentence(occasion: EventOccasion): Sentence {
  const { names, view, before, compared } = occasion;
  const changed = changedPaths(view, before, compared, comparedAt);
  const path = changed[0] ?? compared[0];
  const lines = [...linesOf(occasion), ...otherLines(occasion, changed.slice(1))];
  const [now, then] = [codeWords(names, view, before), before === null ? null : codeWords(names, before, view)];
  if (path === undefined || (OF_THE_CODE.includes(path) && now === null))
    return { ...changeSentence(occasion, (one) => plain.value(occasion, one)), lines };
  if (!OF_THE_CODE.includes(path))
    return {
      ...(stateWords({ ...occasion, path }) ??
        changeSentence({ ...occasion, compared: [path] }, (one) => plain.value(occasion, one))),
      lines,
    };
  const detail = `${now ?? ''}${then === null ? '' : `, was ${then}`}`;
  const what = isOne(view) ? 'implementation is' : 'implementations are';
  return {
    title: `${plain.thing(names)} ${what} now ${detail}`,
    detail,
    measured: now,
    lines,
    shows: [...OF_THE_CODE, 'proxy_type', 'is_expected'],
  };
}

/** Names of contracts may change while the contracts stay the same. An empty list is unknown. */
function comparedAt(view: AnyView, path: string): Json {
  if (path !== 'implementations') return encodedAt(view, path);
  const keys = keysIn(view);
  return keys.length === 0 ? null : [...keys];
}

/** `Creation status selfdestructed, was success.` */
function otherLines({ names, view, before }: EventOccasion, paths: readonly string[]): readonly (readonly Segment[])[] {
  return paths.flatMap((path) => {
    const now = ownValue({ names, view }, path);
    const then = before === null ? undefined : ownValue({ names, view: before }, path);
    if (now === undefined || OF_THE_CODE.includes(path)) return [];
    return [[{ text: `${capital(showPath(path))} ${now}${then === undefined ? '' : `, was ${then}`}.` }]];
  });
}

/** `vault runs 0x2222…2222, not expected`; `vault source is not verified`. Null for other fields. */
function stateWords(occasion: StateOccasion): Sentence | null {
  const { names, view, path } = occasion;
  const value = valueAt(view, path);
  if (typeof value !== 'boolean') return null;
  const thing = plain.thing(names);
  if (path === 'is_verified') {
    const detail = value ? 'verified' : 'not verified';
    return { title: `${thing} source is ${detail}`, detail, measured: detail, lines: [], shows: [path] };
  }
  const own = STATES[path]?.(thing, value);
  if (own !== undefined) return { title: own, detail: null, measured: null, lines: linesOf(occasion), shows: [path] };
  const code = codeWords(names, view, occasion.before);
  if (path !== 'is_expected' || code === null) return null;
  const detail = `${code}, ${value ? 'as expected' : 'not expected'}`;
  const shows = [...OF_THE_CODE, 'proxy_type', path];
  return { title: `${thing} runs ${detail}`, detail, measured: code, lines: linesOf(occasion), shows };
}

const STATES: Readonly<Record<string, (thing: string, value: boolean) => string>> = {
  conflicting: (thing, value) => `detectors ${value ? 'disagree' : 'agree'} about the proxy ${thing}`,
  is_contract: (thing, value) => `${thing} has ${value ? 'code' : 'no code'}`,
  is_changed_bytecode: (thing, value) => `${thing} code ${value ? 'differs from' : 'is that of'} its verified source`,
};

const MOST_NAMED = 3;

/**
 * `vault_v2`, or `vault_v2, 0x2222…2222 and 2 more`; null if it is unknown. Contracts that `other` does not have come
 * first: a diamond has many, and one upgrade exchanges few of them.
 */
function codeWords(names: WatchNames, view: AnyView, other: AnyView | null): string | null {
  const common = new Set(other === null ? [] : keysIn(other));
  const listed = listedIn(view as ContractView) ?? [];
  const ordered = listed.toSorted((a, b) => Number(common.has(a.address.key)) - Number(common.has(b.address.key)));
  const addresses = ordered.map(({ address }) => addressWords(names, address));
  if (addresses.length === 0) return null;
  const more = addresses.length - MOST_NAMED;
  return `${addresses.slice(0, MOST_NAMED).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

function keysIn(view: AnyView): readonly string[] {
  return (listedIn(view as ContractView) ?? []).map(({ address: { key } }) => key);
}

function isOne(view: AnyView): boolean {
  return valueAt(view, 'implementation') instanceof Address;
}

/** `Name given: "VaultV2", was "VaultV1". Proxy eip1967.` */
function linesOf({ names, view, before }: WordingContext): readonly (readonly Segment[])[] {
  const [now, then] = [nameIn(view), before === null ? undefined : nameIn(before)];
  const isRenamed = then !== undefined && then !== now;
  const given = now === undefined ? [] : quotedText('Name given:', now, isRenamed ? '' : '.');
  const was = now === undefined || !isRenamed ? [] : quotedText(', was', then);
  const proxy = ownValue({ names, view }, 'proxy_type');
  const type = proxy === undefined ? [] : [{ text: `${given.length === 0 ? '' : ' '}Proxy ${proxy}.` }];
  const line = [...given, ...was, ...type];
  return line.length === 0 ? [] : [line];
}

/** The name that the only contract behind the proxy has; undefined if it has none, or there are several. */
function nameIn(view: AnyView): Untrusted | undefined {
  const [only, ...others] = listedIn(view as ContractView) ?? [];
  return others.length === 0 ? only?.view.name : undefined;
}
