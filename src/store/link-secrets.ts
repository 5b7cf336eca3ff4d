// Secrets that sign links in messages. A secret is replaced at the first start after thirty days. The former secret
// stays valid, since the links that it signed are valid for a day.
import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { systemClock, type Instant } from '../lib/clock.ts';
import type { Sql } from './sql/sql.ts';
import { readFact, writeFact } from './tables/memory/facts.ts';
import { keepSalt } from './tables/memory/plans.ts';

/** `secrets`: the newest first. `since`: the time when the newest was made. */
const LinkSecrets = z.object({ since: z.number(), secrets: z.array(z.string().min(32)).min(1).max(2) });
export type LinkSecrets = z.output<typeof LinkSecrets>;

const OLD_MS = 30 * 86_400_000;
const BYTES = 32;

/**
 * Stores the secrets, with a new one if the last is too old, and the salt of the names of plans. Must be called at the
 * start of a process.
 */
export async function keepSecrets(sql: Sql): Promise<void> {
  const { since, secrets } = linkSecretsAfterStart(await readFact(sql, 'links'), systemClock.now());
  await writeFact(sql, 'links', { since, secrets });
  await keepSalt(sql);
}

/** Damaged secrets are replaced. Links that were sent before are then refused. */
export function linkSecretsAfterStart(stored: unknown, now: Instant): LinkSecrets {
  const found = LinkSecrets.safeParse(stored).data;
  if (found !== undefined && now - found.since < OLD_MS) return found;
  const fresh = randomBytes(BYTES).toString('base64url');
  return { since: now, secrets: [fresh, ...(found?.secrets ?? [])].slice(0, 2) };
}

/** Empty if no secrets are stored, or if they are damaged. */
export async function linkSecrets(sql: Sql): Promise<readonly string[]> {
  return LinkSecrets.safeParse(await readFact(sql, 'links')).data?.secrets ?? [];
}
