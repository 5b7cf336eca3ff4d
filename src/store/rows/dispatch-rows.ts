// What dispatch keeps, checked as it comes out of the storage, whichever engine it comes from.
import { z } from 'zod';
import type { Recipient } from '../../core/model/ids.ts';
import type { Held, PendingTransition, RecipientState } from '../../dispatch/model.ts';
import type { DueMember } from '../../dispatch/rounds/due-round.ts';
import type { CalledAlert } from '../../dispatch/rounds/call-round.ts';
import type { ActiveState } from '../../dispatch/reroute.ts';
import type { Knowledge, Unrouted, Via } from '../../dispatch/rounds/routing-round.ts';
import type { Instant } from '../../lib/clock.ts';
import { jsonOrNull, type Row } from './rows.ts';
import { SEVERITIES } from '../../core/model/ids.ts';

const TRANSITIONS = ['event', 'firing', 'resolved', 'retracted', 'corrected', 'reinstated'] as const;

const labelsShape = z.record(z.string(), z.string());

const unrouted = z.object({
  transition: z.enum(TRANSITIONS),
  of: z.enum(TRANSITIONS.map((name) => `alert.${name}` as const)).nullable(),
  labels: labelsShape.and(z.object({ severity: z.enum(SEVERITIES) })),
  notify: z.array(z.string()),
  members: z.array(z.string()).nullable(),
});

/** A damaged one says so, and names nobody. */
export function unroutedOf(row: Row): Unrouted {
  const place = {
    number: Number(row['number']),
    key: String(row['key']),
    episode: Number(row['episode']),
    seq: Number(row['seq']),
    watch: String(row['watch']),
    alert: String(row['alert']),
    at: Number(row['at']),
  };
  const json = Object.fromEntries(['labels', 'notify', 'members'].map((name) => [name, jsonOrNull(row[name])]));
  const { data, error } = unrouted.safeParse({ ...row, ...json });
  if (data === undefined) {
    const damage = `notification ${place.number} of watch ${place.watch}: ${z.prettifyError(error)}`;
    return { ...place, transition: 'event', severity: 'warning', labels: {}, notify: [], members: [], damage };
  }
  const { transition, of, labels, notify, members } = data;
  return {
    ...place,
    transition: of === null ? transition : nameOf(of),
    severity: labels.severity,
    labels,
    notify,
    members: members ?? [],
    damage: null,
  };
}

function nameOf(type: `alert.${(typeof TRANSITIONS)[number]}`): (typeof TRANSITIONS)[number] {
  return TRANSITIONS.find((name) => type === `alert.${name}`) ?? 'event';
}

/** What of an alert is owed to a recipient, from whether any delivery of it was tried. */
export function owedIn(row: Row | undefined): RecipientState['owed'] {
  const tried = row?.['tried'];
  return tried === 1 ? 'tried' : tried === 0 ? 'untried' : null;
}

export function knowledgeOf(row: Row, owed: RecipientState['owed']): Knowledge {
  return {
    key: String(row['key']),
    target: recipientOf(row),
    via: viaOf(row['via']),
    state: { ...stateOf(row), owed },
  };
}

/** With the newest transition of the alert. */
export function activeOf(row: Row, owed: RecipientState['owed']): ActiveState {
  return {
    ...knowledgeOf(row, owed),
    watch: String(row['watch']),
    alert: String(row['alert']),
    labels: labelsOf(row['labels'])?.labels ?? {},
  };
}

/** A state without what of it is owed in deliveries. */
export function stateOf(row: Row): Omit<RecipientState, 'owed'> {
  return {
    wanted: Number(row['wanted']),
    closed: Number(row['closed']),
    notified: Number(row['notified']),
    notifiedAt: numberOrNull(row['notified_at']),
    begun: numberOrNull(row['begun']),
    held: heldOf(row['held']),
    heldAt: numberOrNull(row['held_at']),
  };
}

const held = z.object({
  why: z.enum(['inhibited', 'silenced', 'acked', 'unpolled', 'mute-window', 'cap']),
  by: z.string().nullable(),
});

/** A damaged one holds nothing back: what it held is told. */
function heldOf(text: unknown): Held | null {
  return held.safeParse(jsonOrNull(text)).data ?? null;
}

export function heldText(why: Held | null): string | null {
  return why === null ? null : JSON.stringify({ why: why.why, by: why.by });
}

function viaOf(value: unknown): Via {
  return value === 'escalate' || value === 'failover' ? value : 'route';
}

const described = z.object({ labels: labelsShape, severity: z.enum(SEVERITIES) });

/** Labels and severity; null: they are damaged. */
export function labelsOf(text: unknown): Pick<DueMember, 'labels' | 'severity'> | null {
  const labels = jsonOrNull(text);
  const severity = labelsShape.safeParse(labels).data?.['severity'];
  return described.safeParse({ labels, severity }).data ?? null;
}

const news = z.object({ seq: z.number(), episode: z.number(), transition: z.enum(TRANSITIONS), at: z.number() });

/** Nothing where it is damaged. */
export function newsOf(row: Row): PendingTransition[] {
  const one = news.safeParse(row).data;
  return one === undefined ? [] : [one];
}

/** An open alert that somebody has to answer, without what targets know of it; null: it is damaged. */
export function calledOf(row: Row): Omit<CalledAlert, 'known'> | null {
  const of = labelsOf(row['labels']);
  if (of === null) return null;
  return {
    ...of,
    key: String(row['key']),
    watch: String(row['watch']),
    alert: String(row['alert']),
    episode: Number(row['episode']),
    began: Number(row['began']),
    newest: Number(row['newest']),
    isEvent: row['is_event'] === 1,
    openedAt: Number(row['opened_at']),
    firstClosedAt: numberOrNull(row['first_closed_at']),
    isAccepted: row['is_accepted'] === 1,
    stepsTaken: Number(row['escalation_step']),
    hasFailedOver: row['failed_over'] === 1,
  };
}

export function recipientOf(row: Row): Recipient {
  return { channel: String(row['channel']), recipient: String(row['recipient']) };
}

export function numberOrNull(value: unknown): Instant | null {
  return typeof value === 'number' ? value : null;
}
