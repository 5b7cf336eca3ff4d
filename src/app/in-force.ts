// The setup in force, its rules for dispatching messages, and the pauses of watches.
import type { Config, DigestSettings, HeartbeatSettings } from '../config/model.ts';
import { recipientsIn } from '../config/routing/recipients.ts';
import { ANNOUNCER, type WatchId } from '../core/model/ids.ts';
import { claimRule, isOfClaim, labelsOf } from '../core/model/watch/identity.ts';
import { lastPauseOf, type Pause } from '../core/model/watch/pause.ts';
import type { Watch } from '../core/model/watch/watch.ts';
import type { Report } from '../core/reports/model.ts';
import { CAP_OF_PEOPLE } from '../dispatch/batches.ts';
import { routingOf } from '../dispatch/policy/match.ts';
import type { DispatchRules } from '../dispatch/rules.ts';
import type { PausedWatch } from '../engine/reporting/paused-watches.ts';
import { REPORT_WATCH } from '../engine/self/report-watch.ts';
import { isSelfWatch } from '../engine/self/self-watch.ts';
import type { Clock, Instant } from '../lib/clock.ts';
import type { Store } from '../store/contract/store.ts';
import type { Setup } from './setup/setup.ts';

// The rules of the config in force for dispatching messages.

type OfProcess = Pick<DispatchRules, 'startedAt' | 'lookedAt' | 'coveredUntil' | 'presentOf'>;

/** Deliveries on a removed channel wait until it is back, one delivery per alert. */
const GONE = { unit: 'alert', cap: null } as const;

interface Told {
  readonly watches: readonly Watch[];
  readonly reports: readonly Report[];
}

export function dispatchRulesOf(config: Config, { watches, reports }: Told, process: OfProcess): DispatchRules {
  const channels = [...config.channels.values()];
  const watchById = new Map(watches.map((watch) => [watch.id, watch]));
  const reportById = new Map(reports.map((report) => [report.watchId, report]));
  const ways = new Map(
    channels.map(({ name, notifier: { unit, readBy }, cap }) => {
      const usual = readBy === 'people' ? CAP_OF_PEOPLE : null;
      return [name, { unit, cap: cap ?? usual }];
    }),
  );
  return {
    ...process,
    inhibit: config.inhibit,
    recipientsOf: recipientsIn(config),
    channelOf: (channel) => ways.get(channel) ?? GONE,
    routingOf: (labels) => routingOf(config.routes, null, labels),
    ruleOf(id, alert, labels) {
      if (id === REPORT_WATCH) return { type: 'fixed', channels: config.digest?.notify ?? [] };
      if (id === ANNOUNCER || isSelfWatch(id)) return { type: 'fixed', channels: config.self };
      const report = reportById.get(id);
      if (report !== undefined) return ruleOfReport(report);
      const watch = watchById.get(id);
      const rule = watch?.alerts.find((one) => one.id === alert);
      if (watch === undefined || rule === undefined) return null;
      const own = rule.type === 'event' ? claimRule(rule, isOfClaim(labels)) : rule;
      const { notify: channels, severity } = own;
      return { type: 'rule', channels, labels: labelsOf(watch, own), severity };
    },
    counted: channels.filter(({ name }) => (ways.get(name) ?? GONE).cap !== null).map(({ name }) => name),
    unanswered: channels.filter(({ notifier }) => isUnanswered(notifier.type)).map(({ name }) => name),
  };
}

function ruleOfReport({ notify, labels, severity }: Report): ReturnType<DispatchRules['ruleOf']> {
  return { type: 'rule', channels: notify, labels, severity };
}

/** People do not read these receivers, so no acknowledgement is expected. */
function isUnanswered(type: string): boolean {
  return type === 'log' || type === 'alertmanager';
}

/** The rules before the first config is in force. */
export const NO_RULES: DispatchRules = {
  inhibit: [],
  recipientsOf: () => undefined,
  channelOf: () => GONE,
  routingOf: (labels) => routingOf([], null, labels),
  ruleOf: () => null,
  counted: [],
  unanswered: [],
  startedAt: 0,
  lookedAt: () => null,
  coveredUntil: () => null,
  presentOf: () => null,
};

/** The setup of the last commit. Before the first commit it is empty. */
export interface InForce {
  /** Null before the first commit. */
  readonly config: () => Config | null;
  readonly watches: () => readonly Watch[];
  readonly reports: () => readonly Report[];
  /** True for the id of a watch or a report. */
  isWatched(id: WatchId): boolean;
  /** The names of the explorers. */
  readonly explorers: () => Iterable<string>;
  readonly rules: () => DispatchRules;
  /** Null: there is no daily report. */
  readonly digest: () => DigestSettings | null;
  /** Null: no heartbeat is sent. */
  readonly heartbeat: () => HeartbeatSettings | null;
  /** The channels for alerts about the daemon itself. */
  readonly self: () => readonly string[];
  /** The time zone for texts to people. */
  readonly timeZone: () => string;
  /** The text of a rule file; null if it is not in force. */
  readonly ruleFile: (file: string) => string | null;
  readonly loadedAt: () => Instant | null;
}

export interface ReplaceableSetup extends InForce {
  replace(next: Setup, rules: DispatchRules, at: Instant): void;
}

interface Committed extends Pick<Setup, 'watches' | 'reports' | 'ruleFiles'> {
  readonly config: Config | null;
  readonly ids: ReadonlySet<WatchId>;
  readonly rules: DispatchRules;
  readonly loadedAt: Instant | null;
}

const NOTHING_YET: Committed = {
  config: null,
  watches: [],
  reports: [],
  ids: new Set(),
  ruleFiles: new Map(),
  rules: NO_RULES,
  loadedAt: null,
};

export function createInForce(): ReplaceableSetup {
  let now = NOTHING_YET;
  return {
    config: () => now.config,
    watches: () => now.watches,
    reports: () => now.reports,
    isWatched: (id) => now.ids.has(id),
    explorers: () => now.config?.explorers.keys() ?? [],
    rules: () => now.rules,
    digest: () => now.config?.digest ?? null,
    heartbeat: () => now.config?.heartbeat ?? null,
    self: () => now.config?.self ?? [],
    timeZone: () => now.config?.timeZone ?? 'UTC',
    ruleFile: (file) => now.ruleFiles.get(file) ?? null,
    loadedAt: () => now.loadedAt,
    replace({ config, watches, reports, ruleFiles }, rules, loadedAt) {
      const ids = new Set([...watches.map(({ id }) => id), ...reports.map(({ watchId }) => watchId)]);
      now = { config, watches, reports, ids, ruleFiles, rules, loadedAt };
    },
  };
}

// The pauses of the state file, kept in memory, because every tick reads them.

type Named = Pick<Watch, 'name' | 'rule'>;

export interface Pauses {
  /** Reads the pauses again. If it rejects with a `StorageError`, the earlier pauses remain. */
  read(): Promise<void>;
  /** The pause in force; null while the watch is polled. */
  readonly of: (watch: Named) => Pause | null;
  /** The time when the last pause of the watch ends or ended; null if none is known. */
  readonly until: (watch: Named) => Instant | null;
  /** The given watches that are paused. */
  among(watches: readonly Watch[]): PausedWatch[];
}

export function createPauses({
  store,
  clock,
}: {
  readonly store: Pick<Store, 'pauses'>;
  readonly clock: Clock;
}): Pauses {
  let byName: ReadonlyMap<string, readonly Pause[]> = new Map();
  /** The ids of pauses that are over. Such a pause does not begin again when the clock is set back. */
  const over = new Set<string>();
  let checkedAt: Instant | null = null;

  function findOver(now: Instant): void {
    if (now === checkedAt) return;
    checkedAt = now;
    for (const pauses of byName.values()) for (const { id, until } of pauses) if (until <= now) over.add(id);
  }

  /**
   * Every tick calls this for all of up to 10,000 watches. Few or none are paused, so the case of no pause returns
   * first.
   */
  function last({ name, rule }: Named): Pause | null {
    if (byName.size === 0) return null;
    const own = [...(byName.get(name) ?? []), ...(name === rule ? [] : (byName.get(rule) ?? []))];
    const still = own.filter(({ id }) => !over.has(id));
    return lastPauseOf(still.length > 0 ? still : own, { name, rule });
  }

  function of(watch: Named): Pause | null {
    if (byName.size > 0) findOver(clock.now());
    const pause = last(watch);
    return pause === null || over.has(pause.id) ? null : pause;
  }

  return {
    async read() {
      const pauses = await store.pauses();
      byName = Map.groupBy(pauses, ({ watch }) => watch);
      const ids = new Set(pauses.map(({ id }) => id));
      for (const id of over) if (!ids.has(id)) over.delete(id);
      checkedAt = null;
    },
    of,
    until: (watch) => last(watch)?.until ?? null,
    among: (watches) =>
      watches.flatMap((watch) => {
        const pause = of(watch);
        return pause === null ? [] : [{ watch, pause }];
      }),
  };
}
