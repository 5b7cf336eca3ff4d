// What each watch last looked at, and how the conditions of its alerts do: noted at every poll, and handed over to be
// kept when coverage is flushed. Only then is anything encoded.
import { afterPoll, type Evaluation, type HealthByAlert, type KeptHealth } from '../core/health.ts';
import { idOf } from '../core/identity.ts';
import { encodeLook } from '../core/look.ts';
import { conditionText } from '../core/message.ts';
import type { AlertId, AlertRule, Decision, Look, Observation, Watch, WatchId } from '../core/model.ts';
import type { Kept } from '../store/store.ts';

export interface Notebook {
  /** Goes on from what was kept; an alert whose condition is another one starts anew. */
  adopt(watches: readonly Watch[], kept: ReadonlyMap<WatchId, Kept>): void;
  knows(watch: WatchId): boolean;
  polled(watch: Watch, observation: Observation, decision: Decision): void;
  healthOf(watch: WatchId): HealthByAlert;
  /** What is to be kept of a watch: a look only when there was one since the last call. */
  take(watch: WatchId): Partial<Kept>;
  /** The keeping failed: a look is handed over again, unless there is a newer one. */
  putBack(watch: WatchId, kept: Partial<Kept>): void;
}

interface Page {
  /** By alert: which condition its record is of. */
  readonly conditions: Readonly<Record<AlertId, string>>;
  health: HealthByAlert;
  /** Not kept yet. Dropped when it is, so that no row of an answer is held for long. */
  look: Look | null;
  unkept: Kept['look'];
}

export function createNotebook(): Notebook {
  const pageById = new Map<WatchId, Page>();

  return {
    adopt(watches, kept) {
      const known = new Set(watches.map(({ id }) => id));
      for (const id of pageById.keys()) if (!known.has(id)) pageById.delete(id);
      for (const watch of watches) {
        const page = pageById.get(watch.id);
        const before = page === undefined ? (kept.get(watch.id)?.health ?? {}) : keptHealth(page);
        const conditions = conditionsOf(watch);
        const health = Object.entries(before).filter(([id, { condition }]) => conditions[id] === condition);
        const { look = null, unkept = null } = page ?? {};
        pageById.set(watch.id, { conditions, health: Object.fromEntries(health), look, unkept });
      }
    },
    knows: (id) => pageById.has(id),
    polled(watch, observation, decision) {
      const page = pageById.get(watch.id);
      if (page === undefined) return;
      page.health = afterPoll(page.health, evaluationsOf(watch, observation, decision));
      page.look = decision.look ?? page.look;
    },
    healthOf: (id) => pageById.get(id)?.health ?? {},
    take(id) {
      const page = pageById.get(id);
      if (page === undefined) return {};
      const look = page.look === null ? page.unkept : encodeLook(page.look);
      page.look = null;
      page.unkept = null;
      return { health: keptHealth(page), ...(look === null ? {} : { look }) };
    },
    putBack(id, { look = null }) {
      const page = pageById.get(id);
      if (page !== undefined) page.unkept = look;
    },
  };
}

function keptHealth({ health, conditions }: Page): KeptHealth {
  const kept = Object.entries(health).map(([id, record]) => [id, { ...record, condition: conditions[id] ?? '' }]);
  return Object.fromEntries(kept) as KeptHealth;
}

function conditionsOf({ alerts }: Watch): Page['conditions'] {
  return Object.fromEntries(alerts.filter(isConditional).map((alert) => [alert.id, idOf(conditionText(alert))]));
}

/** An event without `if` is true of everything. */
function isConditional(alert: AlertRule): boolean {
  return alert.type !== 'event' || alert.if !== null;
}

function evaluationsOf({ alerts }: Watch, { type, at }: Observation, { truths }: Decision): Evaluation[] {
  return alerts.filter(isConditional).flatMap((alert): Evaluation[] => {
    const truth = truths[alert.id];
    // What was not read was nothing to ask an event of.
    if (truth === undefined || (type === 'missed' && alert.type === 'event')) return [];
    return [{ alert: alert.id, truth, at }];
  });
}
