// Mute windows: days and hours of a named zone, `{ days: sat-sun, zone: Europe/Berlin }`.
import { z } from 'zod';
import { WEEKDAYS, type Weekday } from '../../lib/time-zone.ts';
import { quote, scalar } from '../values/scalars.ts';
import { isTimeZone, zoneHint } from '../values/time-zones.ts';

const days = () => scalar(parseDays, 'a day such as sat, or days such as mon-fri');

/** Parses `mon`, or a range such as `fri-mon`, which includes both days and may cross the end of the week. */
function parseDays(written: string): readonly Weekday[] | undefined {
  const [first = '', last = first, ...rest] = written.toLowerCase().split('-');
  const [from, to] = [WEEKDAYS.findIndex((day) => day === first), WEEKDAYS.findIndex((day) => day === last)];
  if (from < 0 || to < 0 || rest.length > 0) return undefined;
  const count = ((to - from + WEEKDAYS.length) % WEEKDAYS.length) + 1;
  return [...WEEKDAYS, ...WEEKDAYS].slice(from, from + count);
}

const time = (latest: '23:59' | '24:00', description: string, example: string) =>
  scalar((written) => (isTime(written) && written <= latest ? written : undefined), `a time from 00:00 to ${latest}`, {
    description,
    examples: [example],
  });

function isTime(written: string): boolean {
  return /^(?:[01]\d|2[0-3]):[0-5]\d$|^24:00$/.test(written);
}

const zone = z.string().transform((written, context) => {
  if (isTimeZone(written)) return written;
  context.addIssue({ code: 'custom', message: `no time zone ${quote(written)}: ${zoneHint(written)}` });
  return z.NEVER;
});

/** One entry of `mute`. */
export const MuteWindowShape = z
  .strictObject({
    days: z
      .union([
        days(),
        z
          .array(days())
          .min(1, 'the list is empty')
          .transform((lists) => lists.flat()),
      ])
      .transform((all) => WEEKDAYS.filter((day) => all.includes(day)))
      .optional()
      .meta({ description: 'days on which it begins; every day without it' }),
    from: time('23:59', 'local time at which it begins', '22:00').optional(),
    to: time('24:00', 'local time at which it ends; on the next day if it is not after from', '06:30').optional(),
    zone: zone.meta({ description: 'time zone of days, from and to' }),
  })
  .superRefine(({ days: written, from, to }, context) => {
    const message = windowComplaint(written, from, to);
    if (message !== undefined) context.addIssue({ code: 'custom', message });
  })
  .transform(({ days: written = WEEKDAYS, from = '00:00', to = '24:00', zone: name }) => ({
    days: written,
    from,
    to,
    zone: name,
  }));

function windowComplaint(days: unknown, from: string | undefined, to: string | undefined): string | undefined {
  if (days === undefined && from === undefined && to === undefined) return 'mutes for ever: write days, or from and to';
  return from !== undefined && from === to ? 'from and to are the same; a whole day is 00:00 to 24:00' : undefined;
}
