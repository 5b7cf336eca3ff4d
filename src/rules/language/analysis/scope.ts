// The parts of a condition, as the analysis sees them.
import type { FieldType } from '../../../core/values/fields.ts';
import type { Amount } from '../../../core/values/amount.ts';

/** Variables of `exists` and the like, with the type of their values. */
export type Scope = ReadonlyMap<string, FieldType | undefined>;

export type ComparedConstant = { readonly number: Amount } | { readonly name: string };
