// What is said of an alert, as data. Channels give it a form; nothing here is markup.
import { plain, rawText, untrusted } from '../lib/untrusted.ts';
import { showInstant } from '../lib/clock.ts';
import { Address } from './address.ts';
import { Amount } from './amount.ts';
import { isView, recordTypeOf, typeAt, valueAt, type AnyView, type FieldType, type ValueAt } from './fields.ts';
import type { AlertRule, Fact, Instant, Message, Scene, Segment, Watch } from './model.ts';

/** Where in an alert's life the message stands. */
export interface Stage {
  readonly type: Message['type'];
  readonly key: string;
  readonly episode: number;
  readonly seq: number;
  readonly at: Instant;
  readonly since: Instant;
  readonly late: boolean;
  readonly reason: string | null;
}

export function messageOf(watch: Watch, alert: AlertRule, scene: Scene, stage: Stage): Message {
  const paths = pathsToShow(watch, alert);
  const fields = factsAt(scene.view, paths);
  const before = scene.before === null ? {} : factsAt(scene.before, paths);
  const condition = conditionText(alert);
  return {
    ...stage,
    observedAt: stage.at,
    watch: watch.name,
    alert: alert.id,
    kind: watch.kind.name,
    severity: alert.severity,
    explorer: watch.target.explorer,
    chainId: watch.chainId,
    of: watch.of,
    token: tokenOf(watch, scene.view),
    title: titleOf(watch, alert, scene),
    text: alert.text?.render(scene) ?? defaultText(watch, scene, condition),
    condition,
    rule: alert.source,
    resolvedAt: null,
    fields,
    before,
    links: linksOf(watch, scene.view),
  };
}

/**
 * The end of what was said: by the last values seen, or by the firing message alone when the rule is gone. The title
 * stays, since it is the subject of the thread.
 */
export function resolvedMessage(
  firing: Message,
  stage: Pick<Stage, 'at' | 'seq'>,
  end: { readonly reason: string | null; readonly last: Message | null },
): Message {
  return {
    ...firing,
    ...(end.last === null ? {} : { text: end.last.text, fields: end.last.fields }),
    type: 'alert.resolved',
    at: stage.at,
    seq: stage.seq,
    observedAt: stage.at,
    resolvedAt: stage.at,
    reason: end.reason,
    before: firing.fields,
  };
}

/** What happened to something that was told of before, in the same thread: with its last values, where there are any. */
export function followUp(
  told: Message,
  stage: Pick<Message, 'type' | 'at' | 'seq' | 'reason'>,
  last: Message | null = null,
): Message {
  return {
    ...told,
    ...(last === null ? {} : { text: last.text, fields: last.fields, links: last.links, before: told.fields }),
    ...stage,
    observedAt: stage.at,
  };
}

/** The condition as it is written, with what it takes to fire: `at least 3 new within 10m: success == false`. */
export function conditionText(alert: AlertRule): string {
  if (alert.type === 'condition') return alert.while.text;
  const picked = alert.if?.text;
  if (alert.type === 'event') return picked ?? `on ${alert.on}`;
  const { fires } = alert;
  const what =
    fires.type === 'none-for'
      ? `none ${alert.on} for ${showDuration(fires.ms)}`
      : `at least ${fires.count} ${alert.on} within ${showDuration(fires.withinMs)}`;
  return picked === undefined ? what : `${what}: ${picked}`;
}

function titleOf(watch: Watch, alert: AlertRule, scene: Scene): string {
  if (alert.title === null) return `${watch.name} ${alert.id}`;
  return alert.title
    .render(scene)
    .map((segment) => ('text' in segment ? segment.text : plain(segment.untrusted)))
    .join('');
}

/** What a message about the alert shows, when it is known. */
export function pathsToShow(watch: Watch, alert: AlertRule): string[] {
  const condition = alert.type === 'condition' ? alert.while : alert.if;
  return [...new Set([...watch.kind.shown, ...(condition?.reads ?? []), ...(alert.text?.reads ?? [])])];
}

function linksOf(watch: Watch, view: AnyView): string[] {
  const page = watch.kind.page(watch.target, view);
  return watch.pageUrl === null || page === null ? [] : [`${watch.pageUrl}${page}`];
}

function tokenOf(watch: Watch, view: AnyView): Message['token'] {
  const symbol = valueAt(view, 'symbol') ?? valueAt(view, 'token.symbol');
  const decimals = valueAt(view, 'decimals') ?? valueAt(view, 'token.decimals');
  if (watch.token === null) return null;
  return {
    address: watch.token.address,
    symbol: typeof symbol === 'string' ? untrusted(symbol) : null,
    decimals: typeof decimals === 'bigint' ? Number(decimals) : null,
  };
}

/** `balance 940000, symbol USDC (balance < 1000000)` */
function defaultText(watch: Watch, scene: Scene, condition: string): Segment[] {
  const parts: Segment[] = [];
  for (const path of watch.kind.shown) {
    const fact = factAt(scene.view, path);
    if (fact === undefined || !isShort(fact)) continue;
    const segment = typeof fact === 'object' ? fact : { text: String(fact) };
    // A dot between words looks like a host to mail programs.
    parts.push({ text: `${parts.length === 0 ? '' : ', '}${path.replaceAll('.', ' ')} ` }, segment);
  }
  return [...parts, { text: ` (${condition})` }];
}

function isShort(fact: Fact): fact is boolean | number | Segment {
  return typeof fact !== 'object' || 'text' in fact || 'untrusted' in fact;
}

/** Known values under their paths, nested as the paths are: `{ token: { reputation: 'scam' } }`. */
function factsAt(view: AnyView, paths: readonly string[]): Record<string, Fact> {
  const facts: Record<string, Fact> = {};
  for (const path of paths) {
    const fact = factAt(view, path);
    if (fact !== undefined) plant(facts, path.split('.'), fact);
  }
  return facts;
}

function plant(facts: Record<string, Fact>, path: readonly string[], fact: Fact): void {
  const [name = '', ...rest] = path;
  if (rest.length === 0) {
    facts[name] ??= fact;
    return;
  }
  const branch = facts[name];
  const inner = typeof branch === 'object' && 'record' in branch ? { ...branch.record } : {};
  plant(inner, rest, fact);
  facts[name] = { record: inner };
}

function factAt(view: AnyView, path: string): Fact | undefined {
  const type = typeAt(recordTypeOf(view), path);
  return type === undefined ? undefined : factOf(type, valueAt(view, path));
}

// A stranger's text may be megabytes long; a message keeps what a person could read.
const MOST_TEXT = 1000;
const MOST_ITEMS = 20;

function factOf(type: FieldType, value: ValueAt): Fact | undefined {
  if (value === undefined) return undefined;
  if (type.type === 'text') return { untrusted: untrusted(rawText(value as never).slice(0, MOST_TEXT)) };
  if (type.type === 'json') return { untrusted: untrusted(JSON.stringify(value).slice(0, MOST_TEXT)) };
  if (type.type === 'duration') return { text: showDuration(Number(value)) };
  if (value instanceof Amount || value instanceof Address) return { text: value.toString() };
  if (value instanceof Date) return { text: showInstant(value.getTime()) };
  if (typeof value === 'bigint') return isSafe(value) ? Number(value) : { text: value.toString() };
  if (type.type === 'list' && Array.isArray(value)) return listOf(type.of, value);
  if (isView(value)) return { record: scalarsOf(value) };
  return typeof value === 'string' ? { text: value } : (value as boolean | number);
}

function listOf(type: FieldType, values: readonly ValueAt[]): Fact {
  const facts = values.slice(0, MOST_ITEMS).map((value) => factOf(type, value));
  return { list: facts.filter((fact) => fact !== undefined) };
}

/** A record that is named as a whole shows its plain fields only: whole tokens inside transfers would drown the rest. */
function scalarsOf(view: AnyView): Record<string, Fact> {
  const facts: Record<string, Fact> = {};
  for (const [name, { type }] of Object.entries(recordTypeOf(view).fields)) {
    if (type.type === 'record' || type.type === 'list' || type.type === 'json') continue;
    const fact = factOf(type, valueAt(view, name));
    if (fact !== undefined) facts[name] = fact;
  }
  return facts;
}

function isSafe(value: bigint): boolean {
  return value >= BigInt(Number.MIN_SAFE_INTEGER) && value <= BigInt(Number.MAX_SAFE_INTEGER);
}

const UNITS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1000],
] as const;

/** The two largest units: `showDuration(125_000) // '2m5s'`, and milliseconds below a second. */
export function showDuration(ms: number): string {
  if (Math.abs(ms) < 1000) return `${Math.round(ms)}ms`;
  let left = Math.abs(ms);
  const parts: string[] = [];
  for (const [unit, size] of UNITS) {
    const count = Math.floor(left / size);
    left -= count * size;
    if (count > 0 && parts.length < 2) parts.push(`${count}${unit}`);
    else if (parts.length > 0) break;
  }
  return `${ms < 0 ? '-' : ''}${parts.join('')}`;
}
