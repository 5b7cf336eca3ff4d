// Results that a reload reuses: parsed files with the same text, and compiled conditions and templates with the same
// text and names. The cache keeps the results that the last load used. A load with it gives the same result as a load
// without it.
import { Address } from '../core/values/address.ts';
import { canonicalJson } from '../lib/canonical-json.ts';
import type { AnyKind } from '../core/model/watch/kind.ts';
import { type Parsed, parseYaml } from '../config/yaml/yaml.ts';
import { type ParsedAbi, parseAbi } from './abi/parse-abi.ts';
import { GenerationCache } from './generation-cache.ts';
import { createLanguage } from './language/language.ts';
import type { Language, Meaning } from './language/model.ts';

export interface RuleCache {
  parse(file: string, text: string): Parsed;
  /** The functions and events of an ABI file. */
  abi(path: string, text: string): ParsedAbi;
  /** The kind with the fields that the options of a watch add. Equal options return the same object. */
  readonly kindFor: (kind: AnyKind, options: unknown) => AnyKind;
  language(kind: AnyKind, explorer: string, names: ReadonlyMap<string, Meaning>): Language;
  /** Drops results that were not used since the last sweep. Called at the end of each load. */
  sweep(): void;
}

/** An empty cache, to be passed to every load. */
export function createRuleCache(): RuleCache {
  const files = new GenerationCache<{ readonly text: string; readonly parsed: Parsed }>();
  const abis = new GenerationCache<{ readonly text: string; readonly parsed: ParsedAbi }>();
  const kinds = new GenerationCache<{ readonly of: AnyKind; readonly kind: AnyKind }>();
  const languages = new GenerationCache<Language>();
  const fieldsOf = new WeakMap<AnyKind, string>();
  return {
    parse(file, text) {
      const known = files.get(file);
      if (known?.text === text) return known.parsed;
      return files.set(file, { text, parsed: parseYaml(file, text) }).parsed;
    },
    abi(path, text) {
      const known = abis.get(path);
      return known?.text === text ? known.parsed : abis.set(path, { text, parsed: parseAbi(text) }).parsed;
    },
    kindFor(kind, options) {
      const fields = fieldsKey(kind, options);
      if (kind.forOptions === undefined || fields === '{}') return kind;
      const key = JSON.stringify([kind.name, fields]);
      const known = kinds.get(key);
      const made = known?.of === kind ? known : kinds.set(key, { of: kind, kind: kind.forOptions(options) });
      fieldsOf.set(made.kind, fields);
      return made.kind;
    },
    language(kind, explorer, names) {
      const meanings = [...names].map(([name, meaning]) => [name, keyOf(meaning)]);
      const key = JSON.stringify([kind.name, fieldsOf.get(kind) ?? '', explorer, meanings]);
      const known = languages.get(key);
      return known?.kind === kind ? known : languages.set(key, createLanguage(kind, explorer, names));
    },
    sweep() {
      files.sweep();
      abis.sweep();
      kinds.sweep();
      languages.sweep();
      for (const language of languages.values()) language.sweep();
    },
  };
}

function fieldsKey({ fieldOptions = [] }: AnyKind, options: unknown): string {
  const written = Object.entries(options ?? {}).filter(
    ([key, value]) => fieldOptions.includes(key) && value !== undefined,
  );
  return canonicalJson(Object.fromEntries(written));
}

function keyOf(meaning: Meaning): string | readonly string[] {
  if (meaning === 'absent') return meaning;
  return meaning instanceof Address ? meaning.text : meaning.map(({ text }) => text);
}
