// A time zone in the config as a schema.
import { z } from 'zod';
import { quote } from './scalars.ts';
import { isTimeZone, zoneHint } from './time-zones.ts';

export const ZoneShape = z
  .string()
  .meta({ description: 'name of the time zone', examples: ['Europe/Berlin'] })
  .transform((written, context) => {
    if (isTimeZone(written)) return written;
    context.addIssue({ code: 'custom', message: `no time zone ${quote(written)}: ${zoneHint(written)}` });
    return z.NEVER;
  });
