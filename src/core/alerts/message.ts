// Messages of alerts, as data. Notifiers render them; nothing here is markup.
import { type Instant, showDuration } from '../../lib/clock.ts';
import { plain, untrusted } from '../../lib/untrusted.ts';
import { Address } from '../values/address.ts';
import { Amount, formatAmount } from '../values/amount.ts';
import { factAt, factsAt } from '../values/facts.ts';
import { valueAt, type AnyView } from '../values/fields.ts';
import type { Fact, Message } from '../model/delivery.ts';
import type { AlertRule, Watch } from '../model/watch.ts';
import type { Condition, EvaluationContext, Segment } from '../model/condition.ts';

/** Key and order of a message within its alert. */
export interface MessageHeader {
  readonly type: Message['type'];
  readonly key: string;
  readonly episode: number;
  readonly seq: number;
  readonly at: Instant;
  readonly since: Instant;
  readonly late: boolean;
  readonly reason: string | null;
}

type Facts = Readonly<Record<string, Fact>>;

/** `facts`: values that are of no field, such as a count. */
export function messageOf(
  watch: Watch,
  alert: AlertRule,
  context: EvaluationContext,
  header: MessageHeader,
  facts: Facts = {},
): Message {
  const paths = pathsToShow(watch, alert);
  const fields = factsAt(context.view, paths);
  const before = context.before === null ? {} : factsAt(context.before, paths);
  const condition = conditionText(alert);
  return {
    ...header,
    observedAt: header.at,
    watch: watch.name,
    alert: alert.id,
    kind: watch.kind.name,
    severity: alert.severity,
    explorer: watch.target.explorer,
    chainId: watch.chainId,
    of: watch.of,
    token: tokenOf(watch, context.view),
    title: titleOf(watch, alert, context),
    text: alert.text?.render(context) ?? defaultText(watch, context, condition, facts),
    condition,
    rule: alert.source,
    resolvedAt: null,
    fields: { ...fields, ...windowFacts(watch, alert, context), ...facts },
    before,
    links: linksOf(watch, context.view),
    summary: null,
  };
}

/**
 * The resolved message: with the last values seen, or made of the firing message alone when the rule is gone. It keeps
 * the title, which is the subject of the mail thread.
 */
export function resolvedMessage(
  firing: Message,
  header: Pick<MessageHeader, 'at' | 'seq'>,
  end: { readonly reason: string | null; readonly last: Message | null },
): Message {
  return {
    ...firing,
    ...(end.last === null ? {} : { text: end.last.text, fields: end.last.fields }),
    type: 'alert.resolved',
    at: header.at,
    seq: header.seq,
    observedAt: header.at,
    resolvedAt: header.at,
    reason: end.reason,
    before: firing.fields,
  };
}

/** A later message about an event, in the same thread, with the last values where there are any. */
export function followUp(
  notified: Message,
  header: Pick<Message, 'type' | 'at' | 'seq' | 'reason'>,
  last: Message | null = null,
): Message {
  return {
    ...notified,
    ...(last === null ? {} : { text: last.text, fields: last.fields, links: last.links, before: notified.fields }),
    ...header,
    observedAt: header.at,
  };
}

/** The condition as it is written, with what it takes to fire: `at least 3 new within 10m: success == false`. */
export function conditionText(alert: AlertRule): string {
  if (alert.type === 'condition') return alert.while.text;
  const selector = alert.if?.text;
  if (alert.type === 'event') return selector ?? `on ${alert.on}`;
  const { fires } = alert;
  const what =
    fires.type === 'none-for'
      ? `none ${alert.on} for ${showDuration(fires.ms)}`
      : `at least ${fires.count} ${alert.on} within ${showDuration(fires.withinMs)}`;
  return selector === undefined ? what : `${what}: ${selector}`;
}

function titleOf(watch: Watch, alert: AlertRule, context: EvaluationContext): string {
  if (alert.title === null) return `${watch.name} ${alert.id}`;
  return alert.title
    .render(context)
    .map((segment) => ('text' in segment ? segment.text : plain(segment.untrusted)))
    .join('');
}

/**
 * Values of the windows that the alert reads: `change_1h`, as titles and texts name it, or `delta_price_1h` of another
 * path.
 */
function windowFacts({ kind }: Watch, alert: AlertRule, { history }: EvaluationContext): Record<string, Fact> {
  const facts: Record<string, Fact> = {};
  for (const window of [...(whileOrIf(alert)?.windows ?? []), ...(alert.text?.windows ?? [])]) {
    const value = history?.(window);
    const of = window.path === kind.while?.measured ? '' : `${window.path.replaceAll('.', '_')}_`;
    if (value !== undefined) facts[`${window.measure}_${of}${showDuration(window.ms)}`] = { text: value.toString() };
  }
  return facts;
}

/** Paths that a message about the alert shows, when they are known. */
export function pathsToShow(watch: Watch, alert: AlertRule): string[] {
  return [...new Set([...watch.kind.shown, ...(whileOrIf(alert)?.reads ?? []), ...(alert.text?.reads ?? [])])];
}

function whileOrIf(alert: AlertRule): Condition | null {
  return alert.type === 'condition' ? alert.while : alert.if;
}

function linksOf(watch: Watch, view: AnyView): string[] {
  const page = watch.kind.page(watch.target, view);
  return watch.pageUrl === null || page === null ? [] : [`${watch.pageUrl}${page}`];
}

function tokenOf(watch: Watch, view: AnyView): Message['token'] {
  if (watch.token === null) return null;
  const symbol = valueAt(view, 'symbol') ?? valueAt(view, 'token.symbol');
  const decimals = valueAt(view, 'decimals') ?? valueAt(view, 'token.decimals');
  return {
    address: watch.token.address,
    symbol: typeof symbol === 'string' ? untrusted(symbol) : null,
    decimals: typeof decimals === 'bigint' ? Number(decimals) : null,
  };
}

/** `balance 940,000 (was 1,200,000), symbol USDC, address treasury (balance < 1000000)` */
function defaultText(watch: Watch, context: EvaluationContext, condition: string, facts: Facts): Segment[] {
  const parts: Segment[] = Object.entries(facts).map(([name, fact], i) => ({
    text: `${i === 0 ? '' : ', '}${name} ${typeof fact === 'object' ? '' : String(fact)}`,
  }));
  for (const path of watch.kind.shown) {
    const now = readable(watch, context.view, path);
    if (now === undefined) continue;
    const was = context.before === null || isSame(context, path) ? undefined : readable(watch, context.before, path);
    const isNews = was !== undefined && 'text' in was && 'text' in now && was.text !== now.text;
    // Mail programs turn words with a dot between them into links.
    parts.push({ text: `${parts.length === 0 ? '' : ', '}${path.replaceAll('.', ' ')} ` }, now);
    if (isNews) parts.push({ text: ` (was ${was.text})` });
  }
  return [...parts, { text: ` (${condition})` }];
}

/** Servers differ in the letter case of addresses, which is no change. */
function isSame({ view, before }: EvaluationContext, path: string): boolean {
  const [now, was] = [valueAt(view, path), before === null ? undefined : valueAt(before, path)];
  return now instanceof Address && was instanceof Address && now.equals(was);
}

/** For people: with thousands separators, and the watched address by its name. */
function readable({ of }: Watch, view: AnyView, path: string): Segment | undefined {
  const value = valueAt(view, path);
  if (value instanceof Amount) return { text: formatAmount(value) };
  if (value instanceof Address && of !== null && value.key === of.address.toLowerCase())
    return { text: of.name ?? of.address };
  const fact = factAt(view, path);
  if (typeof fact === 'boolean' || typeof fact === 'number') return { text: String(fact) };
  return fact !== undefined && ('text' in fact || 'untrusted' in fact) ? fact : undefined;
}
