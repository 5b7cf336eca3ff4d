// The `digest:` part of the config as a schema.
import { z } from 'zod';
import { oneOrMore, quote } from '../values/scalars.ts';
import { ZoneShape } from '../values/zone-shape.ts';

const time = z
  .string()
  .meta({
    description: 'local time at which the report is made',
    examples: ['08:00'],
    pattern: '^[0-2][0-9]:[0-5][0-9]$',
  })
  .transform((written, context) => {
    const parts = /^([01]\d|2[0-3]):([0-5]\d)$/.exec(written);
    if (parts !== null) return Number(parts[1]) * 60 + Number(parts[2]);
    context.addIssue({ code: 'custom', message: `${quote(written)} is not a time of the day, such as 08:00` });
    return z.NEVER;
  });

export const DigestShape = z.strictObject({
  at: time.default(8 * 60),
  zone: ZoneShape.default('UTC'),
  notify: oneOrMore('channels that get the report'),
});
