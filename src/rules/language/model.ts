// The condition language of one kind on one explorer, and the results of compiling texts in it.
import type { Condition, Template } from '../../core/model/watch/condition.ts';
import type { AnyKind } from '../../core/model/watch/kind.ts';
import type { Address } from '../../core/values/address.ts';
import type { CelEnvironment } from './cel/environment.ts';
import type { TruthConstraints } from './analysis/constraints.ts';
import type { Compiled } from './mistake.ts';

/** The value of a config name on this explorer; `absent`: the token has no address there. */
export type Meaning = Address | readonly Address[] | 'absent';

/** Data that a text may read beside the present values: the values before, and windows over the watch's history. */
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
  /** Drops the texts that were not used since the last sweep. */
  sweep(): void;
}

export interface CompiledCondition extends Condition {
  /** Paths of the last known values that it reads. */
  readonly readsBefore: readonly string[];
  readonly constraints: TruthConstraints;
}

export interface TemplateUse extends ConditionUse {
  /** A title becomes the subject of a mail: it must hold no text from the chain. */
  readonly as: 'title' | 'text';
}

export interface CompiledTemplate extends Template {
  /** Paths of the last known values that it reads. */
  readonly readsBefore: readonly string[];
}
