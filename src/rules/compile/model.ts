// Types that the parts of compilation share.
import type { Problem } from '../../config/problem.ts';
import type { Path, ProblemAt } from '../../config/yaml/written.ts';
import type { Source } from '../../config/yaml/yaml.ts';
import type { AnyKind } from '../../core/model/watch/kind.ts';
import type { Watch } from '../../core/model/watch/watch.ts';
import type { Defaults, WrittenWatch } from '../schema/shape.ts';
import type { AbiSource } from '../abi/watch-abi.ts';
import type { RouteUse } from '../route-use.ts';
import type { Catalogue } from './catalogue.ts';
import type { TextBudget } from './text-budget.ts';

/** A watch's place in its file, and the file's settings for all of its watches. */
export interface WatchSource {
  readonly source: Source;
  readonly path: Path;
  readonly defaults: Defaults;
}

/** A report's place in its file, and the report. */
export interface WrittenSource {
  readonly place: WatchSource;
  readonly written: unknown;
}

/** The data of a watch that the compilation of its alerts and instances needs. */
export interface Compiling {
  readonly place: WatchSource;
  readonly catalogue: Catalogue;
  readonly kind: AnyKind;
  readonly watch: WrittenWatch;
  readonly hasAddress: boolean;
  /** True if the watch is written with this key, one of the kind's own. */
  readonly hasOption: (key: string) => boolean;
  /** The time between two polls, to check the length of windows. */
  readonly intervalMs: number;
  readonly complain: (path: Path, at: ProblemAt) => void;
  readonly warn: (path: Path, at: ProblemAt) => void;
  readonly add: (problems: readonly Problem[]) => void;
  /** False if compiling this condition or text as well would exceed the budget of the file. */
  readonly affords: (text: string, explorer: string) => boolean;
}

/** The results of a load; each file adds to them. */
export interface Loading {
  readonly catalogue: Catalogue;
  readonly problems: Problem[];
  readonly warnings: Problem[];
  readonly watches: Watch[];
  /** The reports of all files as written. They are compiled after all watches. */
  readonly reports: WrittenSource[];
  /** Where each watch id was first used. */
  readonly ids: Map<string, string>;
  readonly budget: TextBudget;
  readonly routes: RouteUse;
  readonly abi: AbiSource;
}
