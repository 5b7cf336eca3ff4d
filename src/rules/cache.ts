// Results that a reload reuses: parsed files with the same text, and compiled conditions and templates with the same
// text and names. The cache keeps the results that the last load used. A load with it gives the same result as a load
// without it.
import { Address } from '../core/values/address.ts';
import type { AnyKind } from '../core/model/watch/kind.ts';
import { type Parsed, parseYaml } from '../config/yaml/yaml.ts';
import { GenerationCache } from './generation-cache.ts';
import { createLanguage } from './language/language.ts';
import type { Language, Meaning } from './language/model.ts';

export interface RuleCache {
  parse(file: string, text: string): Parsed;
  language(kind: AnyKind, explorer: string, names: ReadonlyMap<string, Meaning>): Language;
  /** Drops results that were not used since the last sweep. Called at the end of each load. */
  sweep(): void;
}

/** An empty cache, to be passed to every load. */
export function createRuleCache(): RuleCache {
  const files = new GenerationCache<{ readonly text: string; readonly parsed: Parsed }>();
  const languages = new GenerationCache<Language>();
  return {
    parse(file, text) {
      const known = files.get(file);
      if (known?.text === text) return known.parsed;
      return files.set(file, { text, parsed: parseYaml(file, text) }).parsed;
    },
    language(kind, explorer, names) {
      const key = JSON.stringify([kind.name, explorer, [...names].map(([name, meaning]) => [name, keyOf(meaning)])]);
      const known = languages.get(key);
      return known?.kind === kind ? known : languages.set(key, createLanguage(kind, explorer, names));
    },
    sweep() {
      files.sweep();
      languages.sweep();
      for (const language of languages.values()) language.sweep();
    },
  };
}

function keyOf(meaning: Meaning): string | readonly string[] {
  if (meaning === 'absent') return meaning;
  return meaning instanceof Address ? meaning.text : meaning.map(({ text }) => text);
}
