// Parts of API answers that several folders share.
import { z } from 'zod';

export const Time = z.iso
  .datetime()
  .meta({ id: 'Time', description: 'RFC 3339 in UTC, such as `2026-01-31T12:00:00Z`.' });
export type Time = z.output<typeof Time>;

export const Count = z.int().nonnegative();
