// One address: its code, the sent messages about changes of its owner, roles and code, its open alerts and its watches.
import { isReport, type Message } from '../../core/model/delivery.ts';
import { ALERTS_KEPT_MS } from '../../core/model/transition.ts';
import type { Watch } from '../../core/model/watch/watch.ts';
import { Address } from '../../core/values/address.ts';
import { isView, valueAt, type AnyView } from '../../core/values/fields.ts';
import type { Instant } from '../../lib/clock.ts';
import type { Untrusted } from '../../lib/untrusted.ts';
import { cardsOf, subjectOf } from '../alerts/cards.ts';
import { itemsIn, MOST_ITEMS } from '../alerts/items.ts';
import { openAlerts } from '../alerts/open-alerts.ts';
import type { WatchedAddress, ContractCode, ControlWatch } from '../shapes/account.ts';
import type { ItemRow } from '../shapes/alerts.ts';
import type { Subject } from '../shapes/common.ts';
import { timeOf } from '../times.ts';
import { days } from '../values/bars.ts';
import { isOutOfDate } from '../values/readings.ts';
import type { QueryContext } from '../view.ts';
import { factsOf } from './watch-facts.ts';
import { watchRow } from './watch-rows.ts';
import { watchStates, type WatchStates } from './watch-states.ts';
import { snapshotOf } from './watch.ts';

const MOST_WATCHES = 100;
const MOST_ALERTS = 50;

/** Null: no watch is about the address. */
export async function account(view: QueryContext, address: string): Promise<WatchedAddress | null> {
  const key = address.toLowerCase();
  const watches = view.runtime.watches().filter((watch) => isAbout(watch, key));
  if (watches.length === 0) return null;
  const states = await watchStates(view);
  const shown = watches.slice(0, MOST_WATCHES);
  const { barsOf } = await (await days(view)).of(shown.map(({ id }) => id));
  const ids = new Set(watches.map(({ id }) => id));
  const open = (await openAlerts(view)).filter(({ row }) => ids.has(row.watch));
  const cards = open.slice(0, MOST_ALERTS).map((first) => ({ first, all: [first] }));
  return {
    of: subjectsOf(watches, key),
    code: await codeOf(view, watches, states),
    ...(await controlOf(view, watches)),
    alerts: await cardsOf(view, cards),
    more_alerts: open.length - cards.length,
    watches: shown.map((watch) => watchRow(view, factsOf(view.runtime, watch, view), { states, barsOf })),
    more_watches: watches.length - shown.length,
  };
}

function isAbout({ of, token }: Watch, key: string): boolean {
  return of?.address.toLowerCase() === key || token?.address.toLowerCase() === key;
}

/** One for each explorer. */
function subjectsOf(watches: readonly Watch[], key: string): Subject[] {
  const all = watches.map((watch) => {
    const of = watch.of?.address.toLowerCase() === key ? watch.of : watch.token;
    return of && subjectOf({ ...watch, of });
  });
  const byExplorer = new Map<string, Subject>();
  for (const one of all)
    if (one !== null && (byExplorer.get(one.explorer)?.name ?? null) === null) byExplorer.set(one.explorer, one);
  return [...byExplorer.values()];
}

async function codeOf(view: QueryContext, watches: readonly Watch[], states: WatchStates): Promise<ContractCode[]> {
  const all: ContractCode[] = [];
  for (const watch of watches) {
    if (watch.kind.control?.seesCode !== true) continue;
    const goodAt = view.runtime.readings.memoryOf(watch.id)?.coveredUntil ?? null;
    const seen = (await snapshotOf(view, watch))?.view ?? null;
    all.push({
      watch: watch.name,
      explorer: watch.target.explorer,
      ...codeIn(seen, watch),
      at: timeOf(goodAt),
      is_stale: states.blindOf(watch.id) !== null || isOutOfDate(view, watch, goodAt),
    });
  }
  return all;
}

function codeIn(
  seen: AnyView | null,
  watch: Watch,
): Pick<ContractCode, 'implementations' | 'proxy_type' | 'is_verified'> {
  if (seen === null) return { implementations: null, proxy_type: null, is_verified: null };
  const listed = valueAt(seen, 'implementations');
  const all = Array.isArray(listed) ? listed.filter(isView) : [];
  const [type, verified] = [valueAt(seen, 'proxy_type'), valueAt(seen, 'is_verified')];
  return {
    implementations: all.length === 0 ? null : all.flatMap((one) => implementationOf(one, watch)),
    proxy_type: typeof type === 'string' ? type : null,
    is_verified: typeof verified === 'boolean' ? verified : null,
  };
}

function implementationOf(view: AnyView, watch: Watch): NonNullable<ContractCode['implementations']> {
  const address = valueAt(view, 'address_hash');
  if (!(address instanceof Address)) return [];
  const of = subjectOf({ ...watch, of: { name: watch.nameOf(address), address: address.text } });
  const given = valueAt(view, 'name');
  return of === null ? [] : [{ ...of, given: given === undefined ? null : (given as Untrusted) }];
}

const MOST_MESSAGES = 500;
/** The most lines that are searched for the first poll of a watch. */
const MOST_LINES = 500;

async function controlOf(
  view: QueryContext,
  watches: readonly Watch[],
): Promise<{ changes: ItemRow[]; control: ControlWatch[] }> {
  const changes: ItemRow[] = [];
  const control: ControlWatch[] = [];
  for (const watch of watches) {
    if (!tellsControl(watch)) continue;
    const messages = await view.store.messagesOf(watch.name, MOST_MESSAGES);
    const told = itemsIn(messages.filter(isOfControl(watch)));
    changes.push(...told);
    const { since, until } = await spanOf(view, watch, messages);
    const span = { since: timeOf(since), until: timeOf(until) };
    control.push({ watch: watch.name, kind: watch.kind.name, told: told.length, ...span });
  }
  return { changes: changes.toSorted((a, b) => b.at.localeCompare(a.at)).slice(0, MOST_ITEMS), control };
}

/** True if an alert of the watch sends a message for each change of owner, roles or code. */
function tellsControl({ kind, alerts }: Watch): boolean {
  return kind.control !== undefined && alerts.some((alert) => alert.type === 'event' && alert.report === null);
}

/** Leaves out messages from the time when the watch was of another kind. */
function isOfControl({ kind }: Watch): (message: Message) => boolean {
  const names = kind.control?.names ?? null;
  return (message) => {
    if (message.kind !== kind.name || isReport(message)) return false;
    const event = message.fields['event'];
    return names === null || (typeof event === 'object' && 'text' in event && names.has(event.text));
  };
}

/** The time from which on each change with a message is known, and the time of the last usable answer. */
async function spanOf(
  { store, runtime, now }: QueryContext,
  watch: Watch,
  messages: readonly Message[],
): Promise<{ since: Instant | null; until: Instant | null }> {
  const until = runtime.readings.memoryOf(watch.id)?.coveredUntil ?? null;
  if (until === null) return { since: null, until };
  const lines = await store.history({ subjects: [watch.id], limit: MOST_LINES });
  // A baseline that fired at once has no line of its own.
  const begun = (lines.find(({ kind }) => kind === 'observed') ?? lines.at(-1))?.at ?? -Infinity;
  const oldest = messages.length < MOST_MESSAGES ? -Infinity : (messages.at(-1)?.at ?? -Infinity);
  return { since: Math.max(begun, oldest, now - ALERTS_KEPT_MS), until };
}
