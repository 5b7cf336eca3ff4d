// A silence in a form: the text that a person wrote, and its meaning.
import { instantIn, nextTimeAt } from '../../../lib/time-zone.ts';
import { minuteOf, type Moment } from '../../parts/time.ts';

export interface Draft {
  /** The fields as written, to be shown again. */
  readonly written: Readonly<Record<DraftField, string>>;
  readonly matchers: Readonly<Record<string, string | readonly string[]>>;
  /** Null: from now on, or not a valid time. */
  readonly from: number | null;
  /** Null: not a valid time. */
  readonly until: number | null;
  readonly untilResolved: boolean;
  readonly comment: string;
  /** Mistakes in the times. */
  readonly mistakes: Readonly<Partial<Record<'from' | 'until', string>>>;
}

export const FIELDS = [
  'watch',
  'alert',
  'severity',
  'explorer',
  'of',
  'token',
  'labels',
  'from',
  'until',
  'ends',
  'comment',
] as const;
export type DraftField = (typeof FIELDS)[number];

const HOUR_MS = 3_600_000;
const LABELS = ['watch', 'alert', 'explorer', 'of', 'token', 'severity'] as const;

export const SEVERITIES: readonly (readonly [value: string, words: string])[] = [
  ['', 'any'],
  ['!critical', 'warning and below'],
  ['info', 'info'],
  ['warning', 'warning'],
  ['critical', 'critical'],
];

/** `query`: the fields in the address or the form; times are in the zone of the page. */
export function draftFrom(query: (name: string) => string, moment: Moment): Draft {
  const field = (name: DraftField): string => query(name).trim();
  const written = Object.fromEntries(FIELDS.map((name) => [name, field(name)])) as Record<DraftField, string>;
  const until = written.until === '' ? minuteOf(moment.now + HOUR_MS, moment.zone) : written.until;
  const isFromNow = written.from === '' || written.from === 'now';
  const [begin, end] = [isFromNow ? null : readTime(written.from, moment), readTime(until, moment)];
  const from = isFromNow || begin !== null ? undefined : noTime(written.from);
  const late = end === null ? noTime(until) : end <= (begin ?? moment.now) ? endsTooSoon(begin) : undefined;
  return {
    written: { ...written, until, from: isFromNow ? '' : written.from },
    matchers: {
      ...Object.fromEntries(
        LABELS.flatMap((label) => (written[label] === '' ? [] : [[label, patternOf(written[label])]])),
      ),
      ...otherLabels(written.labels),
    },
    from: begin,
    until: end,
    untilResolved: written.ends === 'yes',
    comment: written.comment,
    mistakes: { ...(from !== undefined && { from }), ...(late !== undefined && { until: late }) },
  };
}

function noTime(text: string): string {
  return `"${text}" is no time such as 08:00, or 2026-01-31 08:00`;
}

function endsTooSoon(begin: number | null): string {
  return begin === null ? 'This time has passed' : 'It would end before it begins';
}

/** `team=treasury, tier=1`: both labels must match. For a label that occurs twice, either value may match. */
function otherLabels(text: string): Record<string, string | readonly string[]> {
  const pairs = text.split(',').flatMap((part): [label: string, value: string][] => {
    const [label = '', ...value] = part.split('=');
    return part.trim() === '' ? [] : [[label.trim(), value.join('=').trim()]];
  });
  const labels = [...Map.groupBy(pairs, ([label]) => label)];
  return Object.fromEntries(labels.map(([label, all]) => [label, onlyOrAll(all.map(([, value]) => value))]));
}

function onlyOrAll(values: readonly string[]): string | readonly string[] {
  return values.length === 1 ? (values[0] ?? '') : values;
}

/** `vault-*, treasury`: one of them must match. */
function patternOf(text: string): string | readonly string[] {
  const parts = text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
  return onlyOrAll(parts);
}

/** `2026-11-21 08:00`, or `08:00` for the next time of day like this. Null: the text is no time. */
function readTime(text: string, { now, zone }: Moment): number | null {
  const parts = /^(?:(\d{4}-\d{2}-\d{2})[ T])?(\d{2}:\d{2})$/.exec(text);
  if (parts === null) return null;
  const [, day, clock = ''] = parts;
  const at = day === undefined ? nextTimeAt(clock, zone, now) : instantIn(zone, `${day}T${clock}`);
  return Number.isNaN(at) ? null : at;
}
