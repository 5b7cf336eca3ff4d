// What the alerts of one kind may say on one explorer.
import type { Condition, Template } from '../../core/model/condition.ts';
import type { AnyKind } from '../../core/model/kind.ts';
import type { Address } from '../../core/values/address.ts';
import type { CelEnvironment } from './cel/environment.ts';
import type { TruthConstraints } from './analysis/constraints.ts';
import type { Compiled } from './mistake.ts';

/** A name of the config as it is on this explorer; `absent` tokens have no address there. */
export type Meaning = Address | readonly Address[] | 'absent';

/** What a text may speak of beside the thing itself: the values before, and the watch's own history. */
export interface ConditionUse {
  readonly before: boolean;
  readonly windows: boolean;
}

export interface Language {
  readonly kind: AnyKind;
  readonly explorer: string;
  readonly names: ReadonlyMap<string, Meaning>;
  readonly cel: CelEnvironment;
  condition(text: string, use: ConditionUse): Compiled<CompiledCondition>;
  template(text: string, use: TemplateUse): Compiled<CompiledTemplate>;
  /** Forgets the texts that were not asked for since the last sweep. */
  sweep(): void;
}

export interface CompiledCondition extends Condition {
  /** Paths that it reads of the last known values. */
  readonly readsBefore: readonly string[];
  readonly constraints: TruthConstraints;
}

export interface TemplateUse extends ConditionUse {
  /** A title becomes the subject of a mail: no stranger may write into it. */
  readonly as: 'title' | 'text';
}

export interface CompiledTemplate extends Template {
  /** Paths that it reads of the last known values. */
  readonly readsBefore: readonly string[];
}
