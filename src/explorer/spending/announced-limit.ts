// How many requests a second an explorer allows, as its answers announce it: a limit, and when its window ends. One answer
// alone may lie: two in a row have to say so.
import type { PlanHeaders } from './plan-headers.ts';

export interface AnnouncedLimit {
  answered(headers: PlanHeaders): void;
  /** Null: no two answers in a row named one. */
  perSecond(): number | null;
}

interface Announced {
  readonly limit: number;
  readonly resetMs: number;
}

const SECOND_MS = 1000;

/** A window is a second long, or longer where answers came longer before its end. */
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
