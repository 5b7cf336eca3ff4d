// The built-in watch `chainwarden`: one instance per cause and severity, stepped and stored like any other watch.
import { z } from 'zod';
import type { Condition } from '../../core/model/watch/condition.ts';
import { NOTHING_DETECTED } from '../../core/model/detection.ts';
import {
  BUILT_IN,
  BUILT_IN_RULE,
  SEVERITIES,
  type Labels,
  type Severity,
  type Truth,
  type WatchId,
} from '../../core/model/ids.ts';
import type { ConditionAlert, Watch } from '../../core/model/watch/watch.ts';
import { natural, time } from '../../core/values/field-declarations.ts';
import type { View } from '../../core/values/fields.ts';
import { RecordType } from '../../core/values/record-type.ts';
import { builtInKind, builtInWatch, says } from './built-in.ts';
import { explorerOf, SELF_CONDITIONS, type Cause, type CauseId, type SelfCondition } from './cause.ts';
import { inOneStep } from '../../lib/steps.ts';

/** Time between two checks of the daemon's work. */
export const LOOK_MS = 10_000;

/** One alert of the built-in watch: a cause at a severity. */
export interface SelfWatchId extends CauseId {
  readonly severity: Severity;
}

/** `chainwarden/blind/critical/ethereum/no-answer`. Ids of rules' watches have no slash. */
export function selfWatchId({ alert, severity, subject }: SelfWatchId): WatchId {
  return [BUILT_IN_RULE, alert, severity, subject].join('/');
}

/** True for an id of `selfWatchId` with an alert that this release knows. */
export function isSelfWatch(id: WatchId): boolean {
  return parseSelfWatchId(id) !== null;
}

/** The inverse of `selfWatchId`; null for any other id. */
export function parseSelfWatchId(id: WatchId): SelfWatchId | null {
  const [rule, alert = '', severity = '', ...subject] = id.split('/');
  return rule === BUILT_IN_RULE && isCondition(alert) && isSeverity(severity)
    ? { alert, severity, subject: subject.join('/') }
    : null;
}

function isCondition(alert: string): alert is SelfCondition {
  return Object.hasOwn(SELF_CONDITIONS, alert);
}

function isSeverity(text: string): text is Severity {
  return SEVERITIES.some((one) => one === text);
}

/** The labels of the built-in watch's alerts for these explorers. */
export function selfLabels(explorers: Iterable<string>): Labels[] {
  const named = [...explorers];
  return Object.keys(SELF_CONDITIONS).flatMap((alert) =>
    SEVERITIES.flatMap((severity) =>
      [BUILT_IN_RULE, ...named].map((explorer) => {
        return { watch: BUILT_IN_RULE, alert, kind: BUILT_IN_RULE, severity, explorer };
      }),
    ),
  );
}

/** The result of one check for one instance. */
export interface Sight {
  /** Null if the check found no cause. */
  readonly cause: Cause | null;
  readonly title: string;
  readonly truth: Truth;
  /** The channels for messages. */
  readonly notify: readonly string[];
  readonly zone: string;
}

const SelfView = new RecordType('SelfView', {
  since: time('since when'),
  watches: natural('how many watches it affects'),
});

type SelfRow = View<typeof SelfView.fields>;

export function viewOf(cause: Cause | null): SelfRow {
  if (cause === null) return SelfView.make({});
  const watches = cause.watches === null ? undefined : BigInt(cause.watches);
  return SelfView.make({ since: new Date(cause.since), watches });
}

/** Makes the watch of an instance. Its condition always evaluates to `sight.truth`. */
export function selfWatchOf(of: SelfWatchId, sight: Sight): Watch {
  return builtInWatch({
    id: selfWatchId(of),
    kind: selfKind,
    explorer: explorerOf(of),
    intervalMs: LOOK_MS,
    zone: sight.zone,
    alert: alertOf(of, sight),
  });
}

/**
 * Two checks in a row must find a cause of these conditions. After the machine slept, the first check runs before the
 * polls that are due, and these polls may end the blindness.
 */
const SEEN_TWICE: ReadonlySet<SelfCondition> = new Set(['blind', 'blind-field']);

function alertOf({ alert, severity }: SelfWatchId, { cause, title, truth, notify }: Sight): ConditionAlert {
  const { condition, over } = SELF_CONDITIONS[alert];
  return {
    type: 'condition',
    id: alert,
    severity,
    labels: {},
    notify,
    title: says([{ text: title }]),
    resolved: null,
    text: says(truth === true && cause !== null ? cause.text : [{ text: over }]),
    runbook: null,
    source: BUILT_IN,
    forMs: SEEN_TWICE.has(alert) ? LOOK_MS : 0,
    keepFiringForMs: 0,
    cooldownMs: 0,
    while: conditionOf(condition, truth),
    until: null,
    found: { since: cause?.since ?? null, over },
  };
}

function conditionOf(text: string, truth: Truth): Condition {
  const evaluate = (): Truth => truth;
  const whole = { text, reads: [], windows: [], evaluate };
  return {
    ...whole,
    headOnly: true,
    limitOf: () => null,
    clause: () => ({ ...whole, joins: null, parts: [], compares: null, equals: null }),
  };
}

const selfKind = builtInKind<null, SelfRow>({
  fields: SelfView,
  events: {},
  while: { measured: null, exported: [] },
  state: z.null(),
  // No field is shown, since the title contains the number of watches, and every message its start.
  shown: [],
  nothing: SelfView.make({}),
  detect: (_target, _state, seen) => inOneStep({ ...NOTHING_DETECTED, now: seen }),
});
