// What a reload need not do again: reading files whose text is the same, and compiling conditions and templates whose
// text and names are the same. It holds what the last load used, and nothing older; a load with it gives the very same
// as a load without.
import { Address } from '../core/address.ts';
import type { AnyKind } from '../core/kind.ts';
import { parseYaml, type Parsed } from '../config/yaml.ts';
import { createLanguage, type Language, type Meaning } from './language.ts';

export interface RuleCache {
  parse(file: string, text: string): Parsed;
  language(kind: AnyKind, explorer: string, names: ReadonlyMap<string, Meaning>): Language;
  /** Forgets what was not asked for since the last sweep: at the end of each load. */
  sweep(): void;
}

interface Held<T> {
  readonly value: T;
  isUsed: boolean;
}

export function createRuleCache(): RuleCache {
  const files = new Map<string, Held<{ readonly text: string; readonly parsed: Parsed }>>();
  const languages = new Map<string, Held<Language>>();
  return {
    parse(file, text) {
      const known = files.get(file);
      if (known?.value.text === text) {
        known.isUsed = true;
        return known.value.parsed;
      }
      const parsed = parseYaml(file, text);
      files.set(file, { value: { text, parsed }, isUsed: true });
      return parsed;
    },
    language(kind, explorer, names) {
      const key = JSON.stringify([kind.name, explorer, [...names].map(([name, meaning]) => [name, keyOf(meaning)])]);
      const known = languages.get(key);
      if (known?.value.kind === kind) {
        known.isUsed = true;
        return known.value;
      }
      const value = createLanguage(kind, explorer, names);
      languages.set(key, { value, isUsed: true });
      return value;
    },
    sweep() {
      forgetUnused(files);
      forgetUnused(languages);
      for (const { value } of languages.values()) value.sweep();
    },
  };
}

function forgetUnused<T>(held: Map<string, Held<T>>): void {
  for (const [key, one] of held)
    if (one.isUsed) one.isUsed = false;
    else held.delete(key);
}

function keyOf(meaning: Meaning): string | readonly string[] {
  if (meaning === 'absent') return meaning;
  return meaning instanceof Address ? meaning.text : meaning.map(({ text }) => text);
}
