import type { Config, DigestSettings, HeartbeatSettings } from '../config/model.ts';
import type { WatchId } from '../core/model/ids.ts';
import type { Watch } from '../core/model/watch/watch.ts';
import type { Report } from '../core/reports/model.ts';
import type { DispatchRules } from '../dispatch/rules.ts';
import type { Instant } from '../lib/clock.ts';
import { NO_RULES } from './runtime/dispatch-rules.ts';
import type { Setup } from './setup/setup.ts';

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
