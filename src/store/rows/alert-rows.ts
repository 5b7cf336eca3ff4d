// What people look at of alerts, checked as it comes out of the storage, whichever engine it comes from.
import { z } from 'zod';
import { SEVERITIES } from '../../core/model/ids.ts';
import type { EpisodeName, EventGroup, FiringSpan, HeldMessage, Progress, Unheard } from '../alert-view.ts';
import type { MirroredAlert } from '../../core/model/mirror.ts';
import type { OpenAlertRow } from '../interventions.ts';
import { recipientOf } from './dispatch-rows.ts';
import { jsonOrNull, type Row } from './rows.ts';
import { deliveryOf } from './delivery-rows.ts';
import { messageOf } from './message-rows.ts';
import type { NotifiedLabels } from '../store.ts';

/** Of a storm only the newest are counted. */
export const MOST_EVENTS = 20_000;
export const MOST_UNHEARD = 1000;
export const MOST_MESSAGES = 200;
/** Of what happened within the day. A flood of events must not hold up the daemon. */
export const MOST_RECENT = 2000;

/** By watch and alert, how many messages are owed. */
export type OwedOf = ReadonlyMap<string, number>;

export function owedByAlert(rows: readonly Row[]): OwedOf {
  return new Map(rows.map((row) => [alertNameOf(row), Number(row['owed'])]));
}

/** `newest`: with the message of the newest event. Nothing where that cannot be read. */
export function eventGroupOf(row: Row, newest: Row, owedOf: OwedOf): EventGroup[] {
  const message = messageOf(newest);
  if (message === null) return [];
  const [watch, alert] = [String(row['watch']), String(row['alert'])];
  return [{ watch, alert, count: Number(row['count']), message, owed: owedOf.get(alertNameOf(row)) ?? 0 }];
}

function alertNameOf(row: Row): string {
  return `${String(row['watch'])}\n${String(row['alert'])}`;
}

/** The rule of a watch, by the name that people see. */
export function ruleOf(watch: string): string {
  return watch.replace(/\[.*$/s, '');
}

export function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

function nameOf(row: Row): EpisodeName {
  return { key: String(row['key']), episode: Number(row['episode']) };
}

export function progressOf(row: Row): Progress {
  return {
    ...nameOf(row),
    seq: Number(row['seq']),
    isDismissed: row['dismissed_at'] !== null,
    delivery: deliveryOf(row),
  };
}

/** A message that is held back, with the reason. */
export function heldMessageOf(row: Row): HeldMessage {
  return {
    key: String(row['key']),
    channel: String(row['channel']),
    recipient: String(row['recipient']),
    why: String(row['why']),
  };
}

const Labels = z.record(z.string(), z.string());

/** Nothing where it cannot be read. */
export function unheardOf(row: Row): Unheard[] {
  const labels = Labels.safeParse(jsonOrNull(row['labels'])).data;
  return labels === undefined ? [] : [{ ...nameOf(row), seq: Number(row['seq']), labels }];
}

/** In order: a firing begins a span, which its end closes. An event, or what became of it, is a moment. */
export function spansOf(rows: readonly Row[]): FiringSpan[] {
  const open = new Map<string, { -readonly [K in keyof FiringSpan]: FiringSpan[K] }>();
  const spans: FiringSpan[] = [];
  for (const row of rows) {
    const name = `${String(row['key'])} ${String(row['episode'])}`;
    const at = Number(row['at']);
    const { transition } = row;
    const begun = open.get(name);
    if (transition === 'resolved') {
      if (begun !== undefined) begun.until = at;
      open.delete(name);
      continue;
    }
    if (begun !== undefined) continue;
    const isCondition = transition === 'firing';
    const span = {
      ...nameOf(row),
      watch: String(row['watch']),
      alert: String(row['alert']),
      severity: severityOf(row['severity']),
      from: at,
      until: isCondition ? null : at,
      isEvent: !isCondition,
    };
    spans.push(span);
    if (isCondition) open.set(name, span);
  }
  return spans;
}

function severityOf(value: unknown): FiringSpan['severity'] {
  return value === 'critical' || value === 'info' ? value : 'warning';
}

// Not the whole message: reading thousands of them takes a second.
const said = z.tuple([z.string(), z.enum(SEVERITIES), z.string(), z.number()]);

/** `said`: watch, severity, title and begin of its message. Null: it cannot be read. */
export function openAlertOf(row: Row): OpenAlertRow | null {
  const read = { labels: Labels.safeParse(jsonOrNull(row['labels'])), said: said.safeParse(jsonOrNull(row['said'])) };
  if (!read.labels.success || !read.said.success) return null;
  const [name, severity, title, since] = read.said.data;
  return {
    key: String(row['key']),
    episode: Number(row['episode']),
    seq: Number(row['seq']),
    watch: String(row['watch']),
    alert: String(row['alert']),
    name,
    labels: read.labels.data,
    severity,
    title,
    since,
    isEvent: row['transition'] !== 'firing',
  };
}

/** Null: it cannot be read. */
export function mirroredOf(row: Row): MirroredAlert | null {
  const message = messageOf(row);
  const labels = Labels.safeParse(jsonOrNull(row['labels'])).data;
  if (message === null || labels === undefined) return null;
  const seq = row['seq'];
  const accepted = seq === null ? null : { seq: Number(seq), at: Number(row['at']), endsAt: Number(row['ends_at']) };
  return { message, labels, accepted };
}

/** From counts by labels, and the targets of each; what cannot be read is left out. */
export function notifiedOf(counts: readonly Row[], targets: readonly Row[]): NotifiedLabels[] {
  const to = Map.groupBy(targets, ({ labels }) => String(labels));
  return counts.flatMap(({ labels, count }): NotifiedLabels[] => {
    const read = Labels.safeParse(jsonOrNull(labels));
    if (!read.success) return [];
    return [{ labels: read.data, count: Number(count), to: (to.get(String(labels)) ?? []).map(recipientOf) }];
  });
}
