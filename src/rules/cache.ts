// What a reload need not do again: reading files whose text is the same, and compiling conditions and templates whose
// text and names are the same. It holds what the last load used, and nothing older; a load with it gives the very same
// as a load without.
import { Address } from '../core/values/address.ts';
import type { AnyKind } from '../core/model/kind.ts';
import { type Parsed, parseYaml } from '../config/yaml/yaml.ts';
import { GenerationCache } from './generation-cache.ts';
import { createLanguage } from './language/language.ts';
import type { Language, Meaning } from './language/model.ts';

export interface RuleCache {
  parse(file: string, text: string): Parsed;
  language(kind: AnyKind, explorer: string, names: ReadonlyMap<string, Meaning>): Language;
  /** Forgets what was not asked for since the last sweep: at the end of each load. */
  sweep(): void;
}

/** Empty; to be kept from load to load. */
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
