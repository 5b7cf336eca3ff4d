import type { Config } from '../../config/model.ts';
import type { WatchId } from '../../core/model/ids.ts';
import type { Report } from '../../core/reports/model.ts';
import type { Watch } from '../../core/model/watch/watch.ts';
import type { DispatchRules } from '../../dispatch/rules.ts';
import type { Instant } from '../../lib/clock.ts';
import type { Setup } from '../setup/setup.ts';
import { NO_RULES } from './dispatch-rules.ts';

/** The setup of the last commit, replaced as a whole. */
export interface InForce {
  /** Null before the first setup is in force. */
  readonly config: Config | null;
  readonly watches: readonly Watch[];
  readonly reports: readonly Report[];
  /** The ids of the watches and the reports. */
  readonly ids: ReadonlySet<WatchId>;
  readonly ruleFiles: Setup['ruleFiles'];
  readonly rules: DispatchRules;
  readonly loadedAt: Instant | null;
}

export const NOTHING_YET: InForce = {
  config: null,
  watches: [],
  reports: [],
  ids: new Set(),
  ruleFiles: new Map(),
  rules: NO_RULES,
  loadedAt: null,
};
