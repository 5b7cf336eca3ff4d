// The plans of explorers. Each is named by an HMAC of its origin and its key, with the salt of this state. The state
// does not contain the key, precomputed tables do not reveal it, and names in two states cannot be compared. The salt
// is in the state too, so a reader of the state can test a guessed key.
import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import {
  type Books,
  NOTHING_SPENT,
  type PeriodRule,
  type PlanRow,
  type Ratio,
  type Use,
} from '../../../core/spending/plan.ts';
import type { SeenPrices } from '../../../core/spending/prices.ts';
import { SPEND_CLASSES } from '../../../core/spending/spend.ts';
import type { Instant } from '../../../lib/clock.ts';
import type { StoredPlans } from '../../contract/plans.ts';
import { StorageError } from '../../contract/store.ts';
import { fromJson, instant, parsed, text, type Row } from '../../sql/rows.ts';
import { paged, upsert, type Sql } from '../../sql/sql.ts';
import { readFact, writeFact } from './facts.ts';

const fading = z.object({ sum: z.number(), at: instant });
const ratio: z.ZodType<Ratio> = z.object({ charged: fading, planned: fading });
const use: z.ZodType<Use> = z.object({ critical: ratio, others: ratio, deep: fading, sweeps: fading });

const rule: z.ZodType<PeriodRule> = z.object({
  per: z.enum(['day', 'month']),
  resets: z
    .discriminatedUnion('type', [
      z.object({ type: z.literal('time'), ms: z.int() }),
      z.object({ type: z.literal('day'), day: z.int().min(1).max(28) }),
    ])
    .nullable(),
});

const books: z.ZodType<Books> = z.object({
  from: instant,
  rule: rule.nullable(),
  // JSON has no Infinity.
  resetsAt: instant.nullable().transform((at) => at ?? Infinity),
  bookedFrom: instant,
  refillingSince: instant.nullable(),
  missedReset: instant.nullable(),
  header: z.number().nullable(),
  saidAt: instant.nullable(),
  refills: z.array(z.object({ after: instant, until: instant })),
  highest: z.number().nullable(),
  order: z.int(),
  isResumed: z.boolean(),
  own: z.number(),
  doubted: z.object({ header: z.number(), own: z.number(), at: instant }).nullable(),
  spent: z.partialRecord(z.enum(SPEND_CLASSES), z.number()).transform((spent) => ({ ...NOTHING_SPENT, ...spent })),
  foreign: z.number(),
  fast: fading,
  slow: fading,
  curve: z.array(z.object({ at: instant, known: z.number() })),
});

const prices: z.ZodType<SeenPrices> = z.record(
  z.string(),
  z.object({ falls: z.array(z.number()), price: z.number().nullable() }),
);
const row: z.ZodType<PlanRow> = z.object({ books, use, prices });

/** All plans. */
export const PLANS = paged(['plan'], ({ after, end }) => `SELECT plan, kept FROM plans WHERE ${after} ${end}`);

/** Throws a StorageError that names the plan if the row is damaged. */
export function planOf(stored: Row): PlanRow {
  return parsed(`plan ${text(stored, 'plan')}`, () => row.parse(fromJson(stored['kept'])));
}

const PAGE = 100;

/** A damaged row is left out; `onDamaged` gets the reason. */
export async function plans(sql: Sql, onDamaged: (why: string) => void): Promise<StoredPlans> {
  const rows = new Map<string, PlanRow>();
  for await (const page of sql.pages(PLANS, PAGE))
    for (const stored of page)
      try {
        rows.set(text(stored, 'plan'), planOf(stored));
      } catch (error) {
        if (!(error instanceof StorageError)) throw error;
        onDamaged(error.message);
      }
  const salt = await readFact(sql, 'salt');
  if (typeof salt !== 'string')
    throw new StorageError('the salt of the plans is missing. Restart the daemon, which makes one at its start.');
  return { salt, rows };
}

const KEEP = upsert('plans', ['plan'], { plan: 'text', at: 'int', kept: 'json' });

export async function keepPlans(sql: Sql, kept: ReadonlyMap<string, PlanRow>, at: Instant): Promise<void> {
  await sql.each(
    KEEP,
    [...kept].map(([plan, one]) => ({ plan, at, kept: one })),
  );
}

/** Makes a salt if it is missing or damaged. Plans that were stored under a former salt are then no longer used. */
export async function keepSalt(sql: Sql): Promise<void> {
  const salt = await readFact(sql, 'salt');
  if (typeof salt !== 'string' || salt === '') await writeFact(sql, 'salt', randomBytes(32).toString('base64url'));
}
