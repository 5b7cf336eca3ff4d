// Conditions and templates of one kind on one explorer. Each distinct text is compiled once, however many watches use
// it.
import type { Compiled } from './mistake.ts';
import type { AnyKind } from '../../core/model/watch/kind.ts';
import { type CelConstant, createCelEnvironment } from './cel/environment.ts';
import { compileCondition } from './conditions.ts';
import type { CompiledCondition, CompiledTemplate, Language, Meaning } from './model.ts';
import { GenerationCache } from '../generation-cache.ts';
import { compileTemplate } from '../templates/templates.ts';

/** `names`: the meanings of the config's names on this explorer. */
export function createLanguage(kind: AnyKind, explorer: string, names: ReadonlyMap<string, Meaning>): Language {
  const constants = new Map<string, CelConstant>();
  for (const [name, meaning] of names) if (meaning !== 'absent') constants.set(name, meaning);
  const conditions = new GenerationCache<Compiled<CompiledCondition>>();
  const templates = new GenerationCache<Compiled<CompiledTemplate>>();
  const language: Language = {
    kind,
    explorer,
    names,
    cel: createCelEnvironment(kind.fields, kind.noun, constants),
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
