// Conditions and templates: the paths that they read, and the context of their evaluation.
import type { Untrusted } from '../../../lib/untrusted.ts';
import type { Amount } from '../../values/amount.ts';
import type { AnyView } from '../../values/fields.ts';
import type { Instant } from '../../../lib/clock.ts';
import type { Truth } from '../ids.ts';

/** The length of the history of a path that a condition reads. */
export interface WindowSpan {
  readonly path: string;
  readonly ms: number;
}

/** A window over a path's history: `change("1h")` is `{ measure: 'change', path: 'balance', ms: 3_600_000 }`. */
export interface Window extends WindowSpan {
  readonly measure: Measure;
}

export const MEASURES = ['change', 'delta', 'min', 'max', 'avg'] as const;
export type Measure = (typeof MEASURES)[number];

/** Computes a window as of one moment; undefined = unknown. */
export type WindowHistory = (window: Window) => Amount | undefined;

/** The context for evaluating a condition or a template. */
export interface EvaluationContext {
  readonly view: AnyView;
  /** The last known values before those of `view`; null: there are none. */
  readonly before: AnyView | null;
  /** Null if there is none, as for single items. */
  readonly history: WindowHistory | null;
  /** The time for `hour` and `weekday`: when the item happened, if it has a time; else when it was first polled. */
  readonly at: Instant;
}

/**
 * The steps that conditions may still take; below zero once a condition took more. All items of a poll share one
 * object.
 */
export interface StepBudget {
  left: number;
}

/** An `if`, `while` or `until` that was checked when the rules were loaded. */
export interface Condition {
  readonly text: string;
  /** Full paths that it reads, such as `token.reputation`. Paths under `before.` are listed without that prefix. */
  readonly reads: readonly string[];
  /**
   * True if it reads only `ofHead` fields, such as `head.*` and `age`. They are known even while the head is stalled.
   */
  readonly headOnly: boolean;
  readonly windows: readonly Window[];
  /** The steps that it takes are subtracted from the budget. */
  evaluate(context: EvaluationContext, budget?: StepBudget): Truth;
  /** Names the limit that makes the result unknown: `a text is longer than 4096 characters`. Null if no limit does. */
  limitOf(context: EvaluationContext): string | null;
  /** The parts of the condition, for `explain`. Computed on demand. */
  clause(): Clause;
}

/** A condition, or a part of one that has a result of its own: true, false or unknown. */
export interface Clause extends Pick<Condition, 'text' | 'reads' | 'windows' | 'evaluate'> {
  /** The operator that combines the parts to the result; null if there are none. */
  readonly joins: 'all' | 'any' | 'not' | null;
  readonly parts: readonly Clause[];
  /** Set when it compares one number with a constant. */
  readonly compares: Comparison | null;
  /** Set when the condition compares one number with a value that is computed from other fields. */
  readonly relates?: Relation | undefined;
  /** Set when the condition compares a field with one value, or checks that an address is in a group of the config. */
  readonly equals: Equality | null;
}

/** `success`, `status == "error"`, `from == treasury`, `to.hash in ours`: `path` is of the present values. */
export interface Equality {
  readonly path: string;
  /** `name`: an address or a group of the config, as the rule names it. */
  readonly value: { readonly is: boolean } | { readonly text: string } | { readonly name: string };
  readonly isNegated: boolean;
}

/** `balance < 1000000`: a field or a window, on the left, and a constant. */
export interface Comparison {
  readonly subject:
    | { readonly type: 'field'; readonly path: string; readonly isBefore: boolean }
    | { readonly type: 'window'; readonly window: Window };
  readonly operator: '<' | '<=' | '>' | '>=' | '==' | '!=';
  /** Milliseconds, when the field is a duration. */
  readonly bound: Amount;
  /** The bound as the rule writes it, if it is computed: `assets * 0.98`. */
  readonly text?: string;
}

/** `held < assets * 0.98`: a field on the left. */
export interface Relation extends Pick<Comparison, 'subject' | 'operator'> {
  /** The right side as the rule writes it. */
  readonly text: string;
  /** Undefined: unknown. */
  boundIn(context: EvaluationContext): Amount | undefined;
}

/** The operator of the negation: `!(x < 5)` is `x >= 5`. */
export const OPPOSITE: Readonly<Record<Comparison['operator'], Comparison['operator']>> = {
  '<': '>=',
  '<=': '>',
  '>': '<=',
  '>=': '<',
  '==': '!=',
  '!=': '==',
};

export interface Template {
  /** The text in the rule. */
  readonly written: string;
  readonly reads: readonly string[];
  readonly windows: readonly Window[];
  /** `zone`: the time zone in which times are shown; UTC if it is left out. */
  render(context: EvaluationContext, zone?: string): readonly Segment[];
}

/** Text of a message: of the program, or untrusted text that only a notifier's encoder may read. */
export type Segment = { readonly text: string } | { readonly untrusted: Untrusted };
