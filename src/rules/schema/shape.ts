// The rule file as a schema. The names in `of`, `token`, `explorer` and `notify` are checked later, against the config.
import { ZoneShape } from '../../config/values/zone-shape.ts';
import { z } from 'zod';
import { GIVEN_LABELS } from '../../core/model/watch/identity.ts';
import { boolean, duration, integer, NAME, oneOrMore, text } from '../../config/values/scalars.ts';
import { pageUrl } from '../../config/values/urls.ts';
import { DETAIL_PARTS } from '../../core/model/details.ts';
import { SEVERITIES } from '../../core/model/ids.ts';
import { AtLeastShape } from './at-least.ts';

const WEEK_MS = 7 * 86_400_000;
const HALF_YEAR_MS = 183 * 86_400_000;

const every = () => duration(1000, WEEK_MS, 'time between two polls');
const maxPages = () => integer(1, 1000, 'pages read at most in one poll');
const given: readonly string[] = GIVEN_LABELS;

const labels = () =>
  z
    .record(
      z
        .string()
        .regex(NAME, 'a label has letters, digits and underscores, and starts with a letter or underscore')
        .refine((name) => !given.includes(name), 'every alert has this label already: choose another name'),
      text('its value', 200),
    )
    .optional()
    .meta({ description: 'labels that routes match, beside the given ones: ' + given.join(', ') });

const severity = () => z.enum(SEVERITIES).meta({ description: 'severity of the alert' });

export const DefaultsShape = z.strictObject({
  explorer: oneOrMore('an explorer of the config').optional(),
  notify: oneOrMore('a channel of the config').optional(),
  every: every().optional(),
  severity: severity().optional(),
  labels: labels(),
  max_pages: maxPages().optional(),
});

export const FileShape = z.strictObject({
  defaults: DefaultsShape.prefault({}).meta({ description: 'for every watch of this file' }),
  watches: z.array(z.unknown()).optional().meta({ description: 'the watches of this file' }),
  reports: z
    .array(z.unknown())
    .optional()
    .meta({ description: 'messages on a schedule, each about the values of several watches' }),
});

const id = (description: string) =>
  z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/, 'an id has letters, digits, dashes and underscores, at most 64')
    .meta({ description });

const zone = () => ZoneShape.meta({ description: 'time zone of cron; UTC without it' });

/** All keys except the kind's own and the alerts. */
export const WatchShape = z.strictObject({
  id: id('your stable name: edits keep memory and history'),
  kind: z.string(),
  explorer: oneOrMore('an explorer of the config; may be left out when there is one').optional(),
  of: oneOrMore('a name of the config, a group, or an address').optional(),
  token: oneOrMore('a name of the config, or an address; left out = the native coin').optional(),
  every: every().optional(),
  cron: text('times of its polls, in UTC or the zone: "*/15 * * * * *"', 200).optional(),
  zone: zone().optional(),
  notify: oneOrMore('a channel of the config').optional(),
  severity: severity().optional(),
  labels: labels(),
  max_pages: maxPages().optional(),
  metrics: boolean('true: the watched value is exported as a metric').default(true),
  alerts: z.array(z.unknown()).default([]).meta({ description: 'the alerts of the watch' }),
});

const hold = (description: string) => duration(0, HALF_YEAR_MS, description);
const condition = (description: string) => z.string().meta({ description });

const DETAILS = 'what the message says beside it about its transaction';

function details() {
  const part = z.enum(DETAIL_PARTS).meta({ description: DETAILS });
  const all = z.array(part).min(1, 'the list is empty');
  return z.union([part.transform((one) => [one]), all]).meta({ description: DETAILS });
}

export const AlertShape = z.strictObject({
  id: id('your stable name'),
  on: text('an event of the kind', 64).optional().meta({ description: 'a message is sent for each of these' }),
  if: condition('condition on the event').optional(),
  while: condition('fires as long as this holds').optional(),
  until: condition('resolves when this holds, instead of as soon as `while` does not').optional(),
  for: hold('must hold this long before it fires').optional(),
  keep_firing_for: hold('must be over this long before it resolves').optional(),
  cooldown: hold('after it resolved, messages about a new firing are not sent for this long').optional(),
  confirmations: integer(0, 100_000, 'blocks on top of the item before its message is sent').optional(),
  provisional: boolean('send before the confirmations are there, marked as provisional').optional(),
  enrich: details().optional(),
  at_least: AtLeastShape.optional().meta({
    description: 'fires while so many of them happened within a time, or so much, instead of one message for each',
  }),
  per: oneOrMore(
    'fields whose values split the items of at_least into groups, each with an alert of its own',
  ).optional(),
  none_for: duration(1000, HALF_YEAR_MS, 'fires when none of them happened for this long').optional(),
  cron: text('only with `on: schedule`: times of its messages, in UTC or the zone: "0 8 * * *"', 200).optional(),
  zone: zone().optional(),
  values: oneOrMore(
    'only with `on: schedule`: the values in the message, as in texts: balance, or change_1d | percent',
  ).optional(),
  severity: severity().optional(),
  labels: labels(),
  notify: oneOrMore('a channel of the config').optional(),
  title: z.string().optional().meta({ description: 'one line; fields as {{ balance }}' }),
  resolved: z.string().optional().meta({ description: 'the title of its end; fields as {{ balance }}' }),
  text: z.string().optional().meta({ description: 'fields as {{ balance }} or {{ address | short }}' }),
  runbook: pageUrl('a page with the steps to take: the first link of every message').optional(),
});

export const ReportShape = z.strictObject({
  id: id('your stable name'),
  cron: text('times of its messages, in UTC or the zone: "0 8 * * 1"', 200),
  zone: zone().optional(),
  watches: oneOrMore('the watches that it reads: an id, or id[label] for one of several instances'),
  values: oneOrMore(
    'its columns: numbers that all of its watches know now, such as balance_usd, and change_7d | percent',
  ),
  total: text('the value that is added up, each balance once', 200).optional(),
  severity: severity().optional(),
  labels: labels(),
  notify: oneOrMore('a channel of the config').optional(),
});

export type Defaults = z.output<typeof DefaultsShape>;
export type WrittenWatch = z.output<typeof WatchShape>;
export type WrittenAlert = z.output<typeof AlertShape>;
export type WrittenReport = z.output<typeof ReportShape>;
