// Code that the tables of alerts share: transitions, labels and recipients.
import { z } from 'zod';
import { SEVERITIES, type Recipient } from '../../../core/model/ids.ts';
import type { TransitionName } from '../../../core/model/transition.ts';
import type { DueMember } from '../../../dispatch/rounds/due-round.ts';
import { jsonOrNull, type Row } from '../../sql/rows.ts';

export const TRANSITIONS = ['event', 'firing', 'resolved', 'retracted', 'corrected', 'reinstated'] as const;

/** Null: damaged. */
export function transitionIn(value: unknown): TransitionName | null {
  return TRANSITIONS.find((one) => one === value) ?? null;
}

export const labelsShape = z.record(z.string(), z.string());

const described = z.object({ labels: labelsShape, severity: z.enum(SEVERITIES) });

/** Labels and severity; null: they are damaged. */
export function labelsOf(text: unknown): Pick<DueMember, 'labels' | 'severity'> | null {
  const labels = jsonOrNull(text);
  const severity = labelsShape.safeParse(labels).data?.['severity'];
  return described.safeParse({ labels, severity }).data ?? null;
}

export function recipientOf(row: Row): Recipient {
  return { channel: String(row['channel']), recipient: String(row['recipient']) };
}
