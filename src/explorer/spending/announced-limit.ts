// The requests a second that an explorer allows, as its answers announce: a limit, and the end of its window. A single
// answer may be wrong, so two in a row must agree.
import type { PlanHeaders } from './plan-headers.ts';

export interface AnnouncedLimit {
  answered(headers: PlanHeaders): void;
  /** Null: no two answers in a row had the same limit. */
  perSecond(): number | null;
}

interface Announced {
  readonly limit: number;
  readonly resetMs: number;
}

const SECOND_MS = 1000;

/** A window counts as a second long, or longer if two answers in a row announced that its end is further away. */
export function createAnnouncedLimit(): AnnouncedLimit {
  let last: Announced | null = null;
  let agreed: { readonly limit: number; readonly windowMs: number } | null = null;
  return {
    answered({ limit, resetMs }) {
      if (limit === null || limit === 0) return;
      const now = { limit, resetMs: resetMs ?? 0 };
      if (last?.limit === limit) {
        const knownMs = agreed?.limit === limit ? agreed.windowMs : SECOND_MS;
        agreed = { limit, windowMs: Math.max(knownMs, Math.min(last.resetMs, now.resetMs)) };
      }
      last = now;
    },
    perSecond: () => (agreed === null ? null : (agreed.limit * SECOND_MS) / agreed.windowMs),
  };
}
