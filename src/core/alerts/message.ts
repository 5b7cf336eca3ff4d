// Messages of alerts, as data. Notifiers render them; nothing here is markup.
import { type Instant, showDuration } from '../../lib/clock.ts';
import { plain, untrusted } from '../../lib/untrusted.ts';
import { shortHex } from '../values/address.ts';
import { typeAt, valueAt, type AnyView } from '../values/fields.ts';
import { factsAt } from '../values/encoded.ts';
import { presentValues, SEVERITY_RAISED, type Fact, type Message, type Present } from '../model/delivery.ts';
import type { AlertRule, Watch } from '../model/watch/watch.ts';
import type { Condition, EvaluationContext, Template, Window } from '../model/watch/condition.ts';
import type { Sentence } from '../model/watch/wording.ts';
import { priceLines, pricePathsOf } from '../wording/values.ts';
import { lineOf, titleAndDetail } from '../wording/words.ts';
import { claimantOf } from '../model/watch/identity.ts';
import { conditionText, type Counted, sentenceOf } from './sentence.ts';

/** Key and order of a message within its alert. */
export interface MessageHeader {
  readonly type: Message['type'];
  readonly key: string;
  readonly episode: number;
  readonly seq: number;
  readonly at: Instant;
  readonly since: Instant;
  /** Null for events. */
  readonly firedAt: Instant | null;
  readonly late: boolean;
  readonly reason: string | null;
}

/** The watch as one poll found it. */
interface PolledWatch {
  readonly watch: Watch;
  readonly isStale: boolean;
}

/** `counted`: set for an alert that counts items. */
export function messageOf(
  polled: PolledWatch,
  alert: AlertRule,
  context: EvaluationContext,
  header: MessageHeader,
  counted: Counted | null = null,
): Message {
  const { watch } = polled;
  const isOver = header.type === 'alert.resolved';
  const { values, lines } = told(polled, alert, context, { at: header.at, isOver, counted });
  return {
    ...header,
    ...values,
    observedAt: header.at,
    watch: watch.name,
    alert: alert.id,
    kind: watch.kind.name,
    severity: alert.severity,
    ...(alert.type === 'event' && alert.isClaim === true ? { isClaim: true } : {}),
    explorer: watch.target.explorer,
    chainId: watch.chainId,
    place: watch.place,
    zone: watch.zone,
    of: watch.of,
    token: tokenOf(watch, context.view),
    lines,
    runbook: alert.runbook,
    condition: isOver ? endText(alert) : conditionText(alert),
    rule: alert.source,
    resolvedAt: null,
    before: context.before === null ? {} : factsAt(context.before, pathsToShow(watch, alert)),
    links: linksOf(watch, context.view, counted),
    summary: null,
  };
}

interface Told {
  readonly at: Instant;
  readonly isOver: boolean;
  readonly counted: Counted | null;
}

/** The values and lines of a message as of `at`. */
function told(
  { watch, isStale }: PolledWatch,
  alert: AlertRule,
  context: EvaluationContext,
  { at, isOver, counted }: Told,
): { readonly values: Omit<Present, 'at'>; readonly lines: Sentence['lines'] } {
  const sentence = sentenceOf(watch, alert, context, { at, isOver, isStale, counted });
  const values = {
    ...asTold(watch, alert, context, titleOf(watch, isOver ? endTitle(alert) : alert.title, context, sentence)),
    measured: sentence.measured,
    text: alert.text?.render(context, watch.zone) ?? [],
    fields: {
      ...factsAt(context.view, pathsToShow(watch, alert)),
      ...windowFacts(watch, alert, context),
      ...countFacts(alert, counted),
    },
  };
  return {
    values,
    lines: [...sentence.lines, ...priceLines(context.view, [...readsOf(alert), ...(alert.title?.reads ?? [])], at)],
  };
}

/** The values of an alert that still fires, as a message as of `at` would show them. */
export function presentOf(
  polled: PolledWatch,
  alert: AlertRule,
  context: EvaluationContext,
  of: Pick<Told, 'at' | 'counted'>,
): Present {
  return { at: of.at, ...told(polled, alert, context, { ...of, isOver: false }).values };
}

interface End {
  readonly reason: string | null;
  /** A message with the last values; null: the rule was removed, so only the firing message is known. */
  readonly last: Message | null;
  /** The rule has a title but no `resolved`: the end is shown as the negated title. */
  readonly isNegated?: boolean;
}

export function resolvedMessage(
  firing: Message,
  header: Pick<MessageHeader, 'at' | 'seq'>,
  { reason, last, isNegated = false }: End,
): Message {
  return {
    ...firing,
    ...(last === null ? { detail: reason, lines: [] } : endOf(firing, last)),
    ...(last === null || !isNegated ? {} : negated(firing, last)),
    type: 'alert.resolved',
    at: header.at,
    seq: header.seq,
    observedAt: header.at,
    resolvedAt: header.at,
    reason,
    before: firing.fields,
  };
}

/** `no longer: Treasury USDC is low: 970,030, below 1,000,000; now 1,120,211` */
function negated(firing: Message, last: Message): Pick<Message, 'title' | 'detail' | 'lines'> {
  const told = titleAndDetail(firing);
  const now = last.measured === null || last.measured === firing.measured ? '' : `; now ${last.measured}`;
  return { title: `no longer: ${told}${now}`, detail: null, lines: last.lines };
}

function endOf(firing: Message, last: Message): Partial<Message> {
  const { measured: then } = firing;
  const { title, detail, measured, lines, text, fields, condition, runbook, links, zone } = last;
  const fired =
    then === null || then === measured
      ? []
      : lineOf(`When it fired: ${measured === null ? titleAndDetail(firing) : then}.`);
  const ends = { title, detail, measured, lines: [...fired, ...lines], text, fields, condition, runbook, zone };
  return links.length === 0 ? ends : { ...ends, links };
}

/**
 * A message for a firing alert whose rule was made more severe. `present`: the values of a later poll; null: unknown.
 */
export function raisedMessage(
  firing: Message,
  header: Pick<MessageHeader, 'at' | 'seq'> & Pick<Message, 'severity'>,
  present: Present | null,
): Message {
  const { severity: before, measured: then } = firing;
  const hasChanged = present !== null && then !== null && then !== present.measured;
  const why = `Raised from ${before} to ${header.severity}: its rule was changed.`;
  return {
    ...firing,
    ...(present === null ? {} : presentValues(firing, present)),
    ...header,
    reason: SEVERITY_RAISED,
    late: false,
    lines: [...lineOf(why, hasChanged ? `When it fired: ${then}.` : null), ...firing.lines],
  };
}

type FollowUp = Pick<Message, 'type' | 'at' | 'seq' | 'reason' | 'detail' | 'lines'>;

/** A later message about an event, in the same thread, with the last values if there are any. */
export function followUp(notified: Message, header: FollowUp, last: Message | null = null): Message {
  return {
    ...notified,
    ...(last === null ? {} : { ...newValues(last), before: notified.fields }),
    ...header,
    observedAt: header.at,
  };
}

function newValues({ title, measured, text, fields, links }: Message): Partial<Message> {
  return { title, measured, text, fields, links };
}

/** The condition of the end: `until`, or the negated `while`. */
function endText(alert: AlertRule): string {
  if (alert.type === 'condition' && alert.found !== null) return alert.found.over;
  const until = alert.type === 'condition' ? alert.until : null;
  return until === null ? `no longer ${conditionText(alert)}` : until.text;
}

/** Results of a count, beside the values of its newest item. */
function countFacts(alert: AlertRule, counted: Counted | null): Record<string, Fact> {
  if (alert.type !== 'count' || counted === null || counted.count === null) return {};
  const { count, total } = counted;
  if (alert.fires.type === 'sum') return { count, sum: { text: total.toString() } };
  return alert.fires.type === 'ratio' ? { count, matching: { text: total.toString() } } : { count };
}

/** The template for the end: `resolved` of the rule, if it has one. */
function endTitle(alert: AlertRule): Template | null {
  return alert.type === 'event' ? null : alert.resolved;
}

/** The rule's own title wins. If it shows no number, the measured value follows it as the detail. */
function titleOf(
  { kind, zone }: Watch,
  title: Template | null,
  context: EvaluationContext,
  sentence: Sentence,
): Pick<Message, 'title' | 'detail'> {
  if (title === null) return { title: sentence.title, detail: null };
  const rendered = title
    .render(context, zone)
    .map((segment) => ('text' in segment ? segment.text : plain(segment.untrusted)))
    .join('');
  const { detail } = sentence;
  const isSaid = showsNumber(kind, title) || (detail !== null && wordsIn(rendered).includes(detail.toLowerCase()));
  return { title: rendered, detail: isSaid ? null : detail };
}

/** `0x9f2e…41c7 claims that treasury sent 5 of 0x9f2e…41c7`, if the item is only a claim. */
function asTold(
  watch: Watch,
  alert: AlertRule,
  { view }: EvaluationContext,
  { title, detail }: Pick<Message, 'title' | 'detail'>,
): Pick<Message, 'title' | 'detail'> {
  const claimant = alert.type === 'event' && alert.isClaim === true ? claimantOf(watch, alert, view) : null;
  if (claimant === null) return { title, detail };
  const name = watch.nameOf(claimant) ?? shortHex(claimant.text);
  return { title: `${name} claims${alert.title === null ? ' that' : ':'} ${title}`, detail };
}

/** The words of a text in lower case, without punctuation. */
function wordsIn(text: string): string[] {
  return text.toLowerCase().split(/[^\p{L}\p{N}-]+/u);
}

const NUMBERS: readonly (string | undefined)[] = ['amount', 'int', 'double', 'duration'];

function showsNumber({ fields }: Watch['kind'], { reads, windows }: Template): boolean {
  return windows.length > 0 || reads.some((path) => NUMBERS.includes(typeAt(fields, path)?.type));
}

/**
 * Values of the windows that the alert reads: `change_1h`, as titles and texts name it, or `delta_price_1h` of another
 * path.
 */
function windowFacts({ kind }: Watch, alert: AlertRule, { history }: EvaluationContext): Record<string, Fact> {
  const facts: Record<string, Fact> = {};
  for (const window of partsOf(alert).flatMap(({ windows }) => windows)) {
    const value = history?.(window);
    const of = window.path === kind.while?.measured ? '' : `${window.path.replaceAll('.', '_')}_`;
    if (value !== undefined) facts[`${window.measure}_${of}${showDuration(window.ms)}`] = { text: value.toString() };
  }
  return facts;
}

/** Paths that a message about the alert shows, when they are known. */
export function pathsToShow(watch: Watch, alert: AlertRule): string[] {
  return [...new Set([...watch.kind.shown, ...readsOf(alert), ...pricePathsOf(watch.kind.fields, readsOf(alert))])];
}

function readsOf(alert: AlertRule): readonly string[] {
  return partsOf(alert).flatMap(({ reads }) => reads);
}

/** The windows that an alert reads to decide and to show. */
export function windowsShown(alert: AlertRule): readonly Window[] {
  return [...partsOf(alert), ...(alert.title === null ? [] : [alert.title])].flatMap(({ windows }) => windows);
}

/** The parts of an alert that read values, to decide or to show. */
function partsOf(alert: AlertRule): readonly Pick<Condition, 'reads' | 'windows'>[] {
  const decides = alert.type === 'condition' ? alert.while : alert.if;
  const values = alert.type === 'event' ? (alert.report?.values ?? []) : [];
  return [decides, alert.text, ...values.map(({ template }) => template)].filter((part) => part !== null);
}

/** The explorer's page of an item; null if there is none. */
export function pageOf(watch: Watch, view: AnyView): string | null {
  const page = watch.kind.page(watch.target, view);
  return watch.pageUrl === null || page === null ? null : `${watch.pageUrl}${page}`;
}

/** The item's page; for a count, the pages of its newest items. */
function linksOf(watch: Watch, view: AnyView, counted: Counted | null): string[] {
  const pages =
    counted === null || counted.items.length === 0 ? [pageOf(watch, view)] : counted.items.map(({ page }) => page);
  return [...new Set(pages.filter((page) => page !== null))];
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
