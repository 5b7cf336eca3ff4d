import { idOf } from '../../core/model/watch/identity.ts';
import { chartedPathsOf } from '../../core/model/figures.ts';
import type { ReadField, WantedSender } from '../../core/model/quality/sightings.ts';
import { isFleeting, type AnyKind } from '../../core/model/watch/kind.ts';
import type { Target } from '../../core/model/watch/target.ts';
import {
  readsOfCount,
  type AlertRule,
  type CountAlert,
  type EventAlert,
  type Schedule,
  type Watch,
} from '../../core/model/watch/watch.ts';
import type { WindowSpan } from '../../core/model/watch/condition.ts';
import { typeAt } from '../../core/values/fields.ts';
import { canonicalJson } from '../../lib/canonical-json.ts';
import { remembered } from '../../lib/remembered.ts';
import type { CompiledAlert } from './compile-alert.ts';
import type { Compiling } from './model.ts';
import type { Instance } from './expand.ts';
import type { Targets } from './targets.ts';

interface InstanceParts {
  readonly instance: Instance;
  readonly alerts: readonly CompiledAlert[];
  readonly options: { readonly value: unknown };
  readonly schedule: Schedule;
  readonly maxPages: number;
  /** True if the rule watches several explorers. */
  readonly isOneOfSeveral: boolean;
  readonly targets: Targets;
}

/** Makes the watch of one instance, with all names resolved. */
export function watchOf(
  compiling: Compiling,
  { instance, alerts, options, schedule, maxPages, isOneOfSeveral, targets }: InstanceParts,
): Watch {
  const { kind, watch, place } = compiling;
  const { names } = compiling.catalogue;
  const { explorer, address, token, label } = instance;
  const tokenPart = token?.key ?? (kind.token === 'optional' ? 'coin' : '-');
  const own =
    kind.forReads?.(
      options.value,
      alerts.flatMap(({ rule }) => toldOrRead(rule)),
    ) ?? options.value;
  const target = {
    explorer: explorer.name,
    coin: explorer.coin,
    address,
    token,
    namedTokens: names.tokensOn(explorer.name),
    namedContracts: names.contractsOn(explorer.name),
    rpc: explorer.rpc,
    maxPages,
    options: own,
  };
  const id = [watch.id, explorer.name, address?.key ?? '-', tokenPart].join('/');
  const subject = {
    rule: watch.id,
    kind,
    target,
    of: address === null ? null : { name: names.on(explorer.name)(address), address: address.text },
    token: token === null ? null : { name: names.ofToken(token, explorer.name), address: token.text },
  };
  const rules = alerts.map((alert) => targets.alertOf(subject, alert));
  const windows = windowsOf(alerts);
  return {
    ...subject,
    id,
    name: label === null ? watch.id : `${watch.id}[${label}]`,
    source: `${place.source.file}:${place.source.lineOf(place.path)}`,
    chainId: explorer.form === 'multichain' ? explorer.chainId : explorer.form === 'sandbox' ? SANDBOX_CHAIN : null,
    place: isOneOfSeveral ? explorer.name : null,
    nameOf: names.on(explorer.name),
    lookAlikeOf: names.ofLookAlike,
    pageUrl: explorer.pageUrl,
    schedule,
    zone: compiling.catalogue.config.timeZone,
    blindAfterMs: explorer.blindAfterMs ?? compiling.catalogue.config.blindAfterMs,
    alerts: rules,
    tracked: trackedBy(kind, alerts),
    judged: judgedBy(kind, alerts),
    readFields: readFieldsOf(kind, alerts, target),
    senders: sendersWanted(alerts),
    windows,
    sampled: sampledBy({ kind, alerts: rules, windows }),
    checksum: idOf(
      kind.name,
      explorer.name,
      address?.key ?? '-',
      tokenPart,
      canonicalJson(rememberedOptions(kind, own)),
    ),
    exported: watch.metrics,
  };
}

/** The options that decide the content of the memory. */
function rememberedOptions({ fieldOptions }: AnyKind, options: unknown): unknown {
  if (fieldOptions === undefined) return options;
  return Object.fromEntries(Object.entries(options ?? {}).filter(([key]) => !fieldOptions.includes(key)));
}

const SANDBOX_CHAIN = '31337';

/**
 * Paths whose last values are kept: those compared by default, those that the condition of an alert with `on: changed`
 * or `on: removed` reads, those that a message about a removed item shows, and those that are read through `before`.
 */
function trackedBy({ comparedByDefault, shown }: AnyKind, alerts: readonly CompiledAlert[]): readonly string[] {
  const paths = alerts.flatMap(({ rule, readsBefore }) => {
    const isRemembered = rule.type !== 'condition' && (rule.on === 'changed' || rule.on === 'removed');
    const asked = isRemembered ? (rule.if?.reads ?? []) : [];
    return [...asked, ...toldOfRemoval(rule, shown), ...readsBefore];
  });
  return [...new Set([...comparedByDefault, ...paths])].toSorted();
}

function toldOfRemoval(rule: AlertRule, shown: readonly string[]): readonly string[] {
  if (rule.type === 'condition' || rule.on !== 'removed') return [];
  return [...shown, ...(rule.title?.reads ?? []), ...(rule.text?.reads ?? [])];
}

/**
 * If the value at one of these paths changes, an alert evaluates the item again. Paths that may change while an item
 * stays the same are left out.
 */
function judgedBy(kind: AnyKind, alerts: readonly CompiledAlert[]): readonly string[] {
  const paths = alerts.flatMap(({ rule }) => (isJudgedAgain(rule) ? (rule.if?.reads ?? []) : []));
  return [...new Set(paths)].filter((path) => !isFleeting(kind, path)).toSorted();
}

function isJudgedAgain(rule: AlertRule): rule is EventAlert | CountAlert {
  return rule.type === 'event' || (rule.type === 'count' && rule.fires.type === 'in-a-row');
}

/** Paths that conditions read. An alert on change without a condition reads the paths that are compared by default. */
function readFieldsOf(kind: AnyKind, alerts: readonly CompiledAlert[], target: Target): readonly ReadField[] {
  const paths = new Set(alerts.flatMap(({ rule }) => readsOf(rule, kind.comparedByDefault)));
  return [...paths].toSorted().flatMap((path) => {
    const source = kind.sourceOf(path, target);
    return source === null ? [] : [{ path, source }];
  });
}

/** All targets with the same alerts share one list object, so that a look-up in a row is made once for all of them. */
const sendersWanted = remembered((alerts: readonly CompiledAlert[]): readonly WantedSender[] =>
  alerts.flatMap(({ senders }) => senders),
);

/** Paths that the conditions and the texts of an alert read. */
function toldOrRead(rule: AlertRule): readonly string[] {
  const templates = [rule.title, rule.text, ...(rule.type === 'event' ? reportedBy(rule) : [rule.resolved])];
  return [...readsOf(rule, []), ...templates.flatMap((template) => template?.reads ?? [])];
}

function reportedBy({ report }: EventAlert) {
  return (report?.values ?? []).map(({ template }) => template);
}

function readsOf(rule: AlertRule, comparedByDefault: readonly string[]): readonly string[] {
  if (rule.type === 'condition') return [...rule.while.reads, ...(rule.until?.reads ?? [])];
  const reads = rule.type === 'count' ? [...readsOfCount(rule), ...rule.per] : (rule.if?.reads ?? []);
  const isAnyChange = rule.on === 'changed' && (rule.if?.reads ?? []).length === 0;
  return isAnyChange ? [...reads, ...comparedByDefault] : reads;
}

/**
 * Path and length of every window that the alerts read. Windows with the same path and length are listed once, even if
 * alerts read different measures of them.
 */
function windowsOf(alerts: readonly CompiledAlert[]): readonly WindowSpan[] {
  const spans = alerts.flatMap(({ windows }) => windows.map(({ path, ms }): WindowSpan => ({ path, ms })));
  return [...new Map(spans.map((span) => [JSON.stringify(span), span])).values()];
}

/** The time back from now for which a chart shows every sample. */
const CHART_MS = 7 * 86_400_000;

/**
 * The paths whose samples are kept: those of windows, and for charts the amounts that the watch measures or its
 * conditions read.
 */
function sampledBy({ kind, alerts, windows }: Pick<Watch, 'kind' | 'alerts' | 'windows'>): readonly WindowSpan[] {
  const charted = chartedPathsOf({ kind, alerts }).filter((path) => {
    const type = typeAt(kind.fields, path)?.type;
    return type === 'amount' || type === 'double';
  });
  return [...windows, ...charted.map((path) => ({ path, ms: CHART_MS }))];
}
