// What the alerts of one kind may say on one explorer: conditions and templates, each distinct text compiled once,
// however many watches use it.
import type { Address } from '../core/address.ts';
import type { AnyKind } from '../core/kind.ts';
import { createWorld, type Constant, type World } from './cel.ts';
import { compileCondition, type CompiledCondition } from './conditions.ts';
import { Held } from './held.ts';
import { compileTemplate, type CompiledTemplate, type TemplateUse } from './templates.ts';

/** Something wrong in a text: where, what, and what to do. */
export interface Mistake {
  readonly message: string;
  readonly hint?: string | undefined;
  readonly start: number;
  readonly end: number;
}

export interface Compiled<T> {
  /** Null when there are mistakes. */
  readonly value: T | null;
  readonly mistakes: readonly Mistake[];
  readonly doubts: readonly Mistake[];
}

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
  readonly world: World;
  condition(text: string, use: ConditionUse): Compiled<CompiledCondition>;
  template(text: string, use: TemplateUse): Compiled<CompiledTemplate>;
  /** Forgets the texts that were not asked for since the last sweep. */
  sweep(): void;
}

/** `names`: what the config's names mean on this explorer. */
export function createLanguage(kind: AnyKind, explorer: string, names: ReadonlyMap<string, Meaning>): Language {
  const constants = new Map<string, Constant>();
  for (const [name, meaning] of names) if (meaning !== 'absent') constants.set(name, meaning);
  const conditions = new Held<Compiled<CompiledCondition>>();
  const templates = new Held<Compiled<CompiledTemplate>>();
  const language: Language = {
    kind,
    explorer,
    names,
    world: createWorld(kind.fields, kind.noun, constants),
    condition(text, use) {
      const key = `${use.before} ${use.windows} ${text}`;
      return conditions.get(key) ?? conditions.set(key, compileCondition(language, text, use));
    },
    template(text, use) {
      const key = `${use.as} ${use.before} ${use.windows} ${text}`;
      return templates.get(key) ?? templates.set(key, compileTemplate(language, text, use));
    },
    sweep() {
      conditions.sweep();
      templates.sweep();
    },
  };
  return language;
}
