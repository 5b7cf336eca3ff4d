// Compiles the alerts of a watch, separately for each explorer that the watch runs on.
import { parseAt, parseEach } from '../../config/issues.ts';
import { quote } from '../../config/values/scalars.ts';
import type { Path } from '../../config/yaml/written.ts';
import type { WantedSender } from '../../core/model/quality/sightings.ts';
import type { Window } from '../../core/model/watch/condition.ts';
import type { AlertRule } from '../../core/model/watch/watch.ts';
import { SCHEDULE } from '../language/events.ts';
import { sendersOf } from './contract-sender.ts';
import type { Language } from '../language/model.ts';
import { AlertShape } from '../schema/shape.ts';
import { complainOfForm, groupPaths } from './alert-form.ts';
import { compileParts, type AlertParts, type ReadAlert } from './alert-parts.ts';
import { formatDuration } from '../../lib/durations.ts';
import type { Compiling } from './model.ts';
import { namedChannels } from './named-channels.ts';

export interface CompiledAlert {
  /** The rule without its channels, which may differ between the instances of the watch. */
  readonly rule: AlertRule;
  /** The channels that the rule names; null: the routes decide. */
  readonly notify: readonly string[] | null;
  /** The path of the alert in the file, below its watch. */
  readonly path: Path;
  /** The paths whose last known values the conditions and texts of the alert read. */
  readonly readsBefore: readonly string[];
  readonly windows: readonly Window[];
  readonly senders: readonly WantedSender[];
}

/** Compiles the alerts for each explorer, since the name of a token may mean a different address on each of them. */
export function compileAlerts(
  compiling: Compiling,
  explorers: readonly string[],
): ReadonlyMap<string, readonly CompiledAlert[]> {
  const alerts = compiling.watch.alerts.map((written, i) => readAlert(compiling, written, ['alerts', i]));
  complainOfDuplicates(compiling, alerts);
  const byExplorer = new Map<string, readonly CompiledAlert[]>();
  for (const explorer of explorers) {
    const language = compiling.catalogue.language(compiling.kind, explorer);
    byExplorer.set(
      explorer,
      alerts.flatMap((alert) => compileAlert(compiling, alert, language) ?? []),
    );
  }
  return byExplorer;
}

interface Alert extends ReadAlert {
  readonly notify: readonly string[] | null;
}

function readAlert(compiling: Compiling, written: unknown, path: Path): Alert {
  const { source, path: watchPath } = compiling.place;
  const parsed = parseAt(AlertShape, written, { source, path: [...watchPath, ...path] });
  if ('value' in parsed) {
    complainOfForm(compiling, parsed.value, path);
    return { path, written: parsed.value, isWhole: true, notify: namedChannels(compiling, parsed.value, path) };
  }
  // The parts that could be read are checked further, so that all problems are reported at once.
  compiling.add(parsed.problems);
  return { path, written: { id: '', ...parseEach(AlertShape, written) }, isWhole: false, notify: null };
}

function complainOfDuplicates({ complain }: Compiling, alerts: readonly Alert[]): void {
  const seen = new Set<string>();
  for (const alert of alerts) {
    const { id } = alert.written;
    if (id !== '' && seen.has(id))
      complain([...alert.path, 'id'], { message: `the id ${quote(id)} is used already in this watch` });
    seen.add(id);
  }
}

function compileAlert(compiling: Compiling, alert: Alert, language: Language): CompiledAlert | undefined {
  const parts = compileParts(compiling, alert, language);
  const per = groupPaths(compiling, alert.written, alert.path, language);
  const rule = alert.isWhole ? ruleOf(compiling, alert, parts, per) : undefined;
  if (rule === undefined) return undefined;
  const reported = (parts.report?.values ?? []).map(({ template }) => template);
  const all = [
    parts.if,
    parts.while,
    parts.until,
    parts.of,
    parts.title,
    parts.resolved,
    parts.text,
    ...reported,
  ].filter((part) => part !== null);
  return {
    rule,
    notify: alert.notify,
    path: alert.path,
    readsBefore: all.flatMap(({ readsBefore }) => readsBefore),
    windows: all.flatMap(({ windows }) => windows),
    senders: sendersOf(
      compiling,
      [parts.if, parts.while, parts.until, parts.of].filter((part) => part !== null),
    ).map((sender) => ({ alert: rule.id, ...sender })),
  };
}

function ruleOf(compiling: Compiling, alert: Alert, parts: AlertParts, per: readonly string[]): AlertRule | undefined {
  const { written } = alert;
  const base = baseOf(compiling, alert, parts);
  warnOfShortHold(compiling, alert);
  const holds = {
    resolved: parts.resolved,
    forMs: written.for ?? 0,
    keepFiringForMs: written.keep_firing_for ?? 0,
    cooldownMs: written.cooldown ?? 0,
  };
  const { fires } = parts;
  if (written.on !== undefined && fires !== null)
    return { ...base, ...holds, type: 'count', on: written.on, if: parts.if, fires, per };
  if (written.on !== undefined) {
    const { confirmations = 0, provisional = false } = written;
    const enrich = written.enrich === undefined ? {} : { enrich: [...new Set(written.enrich)] };
    const { if: selector, report } = parts;
    return { ...base, type: 'event', on: written.on, if: selector, confirmations, provisional, ...enrich, report };
  }
  if (parts.while === null) return undefined;
  return { ...base, ...holds, type: 'condition', while: parts.while, until: parts.until, found: null };
}

/**
 * Warns about a `for` that is shorter than the interval. Conditions are evaluated only at polls, so the alert fires
 * after one interval at the earliest.
 */
function warnOfShortHold({ warn, intervalMs }: Compiling, { written, path }: Alert): void {
  if (written.for === undefined || written.for === 0 || written.for >= intervalMs) return;
  const every = formatDuration(intervalMs);
  const message = `it fires after ${every} at the earliest, since the watch is polled every ${every}`;
  warn([...path, 'for'], { message, hint: `Write for: ${every}, or poll more often.` });
}

function baseOf({ place, watch }: Compiling, { written, path }: Alert, { title, text }: AlertParts) {
  return {
    id: written.id,
    severity:
      written.severity ?? (written.on === SCHEDULE ? 'info' : (watch.severity ?? place.defaults.severity ?? 'warning')),
    labels: { ...place.defaults.labels, ...watch.labels, ...written.labels },
    notify: [],
    title,
    text,
    runbook: written.runbook ?? null,
    source: `${place.source.file}:${place.source.lineOf([...place.path, ...path])}`,
  } as const;
}
