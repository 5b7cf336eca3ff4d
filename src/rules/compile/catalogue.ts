// Names that rules may use: explorers, addresses, tokens, channels and kinds.
import { Address } from '../../core/values/address.ts';
import type { AnyKind } from '../../core/model/watch/kind.ts';
import type { Channel, Config, ExplorerSettings, Name } from '../../config/model.ts';
import type { Problem } from '../../config/problem.ts';
import { quote } from '../../config/values/scalars.ts';
import type { RuleCache } from '../cache.ts';
import type { Language, Meaning } from '../language/model.ts';
import { ALL_TOKENS, BEFORE, FUNCTIONS, METHODS, RESERVED_NAMES } from '../language/words.ts';
import { createNames, type ConfigNames } from './names.ts';

export interface Catalogue {
  readonly config: Config;
  readonly kinds: readonly AnyKind[];
  readonly names: ConfigNames;
  /**
   * Missing secrets of used explorers and channels, and names of the config that equal a word of conditions. Complete
   * once all rules are compiled.
   */
  readonly problems: readonly Problem[];
  kind(name: string): AnyKind | undefined;
  /** The kind with the fields that the options of a watch give it. */
  readonly kindFor: RuleCache['kindFor'];
  /** Undefined if there is no such explorer. Otherwise it counts as used, so its missing secrets become problems. */
  explorer(name: string): ExplorerSettings | undefined;
  channel(name: string): Channel | undefined;
  language(kind: AnyKind, explorer: string): Language;
  /**
   * Warnings about missing secrets of unused explorers and channels, about settings of used channels, and about names
   * that equal a word of an unused kind.
   */
  unused(): Problem[];
}

/** Creates the catalogue of one load. */
export function createCatalogue(config: Config, kinds: readonly AnyKind[], cache: RuleCache): Catalogue {
  return new ConfigCatalogue(config, kinds, cache);
}

class ConfigCatalogue implements Catalogue {
  readonly config: Config;
  readonly kinds: readonly AnyKind[];
  readonly names: ConfigNames;
  readonly problems: Problem[] = [];
  readonly kindFor: RuleCache['kindFor'];
  readonly #cache: RuleCache;
  readonly #languages = new Map<AnyKind, Map<string, Language>>();
  readonly #used = new Set<ExplorerSettings | Channel>();
  readonly #usedKinds = new Set<AnyKind>();
  /** Names that equal a word of conditions and are reported already. */
  readonly #complainedOf = new Set<string>();

  constructor(config: Config, kinds: readonly AnyKind[], cache: RuleCache) {
    this.config = config;
    this.#cache = cache;
    this.kindFor = cache.kindFor;
    this.kinds = kinds;
    this.names = createNames(config.names);
    this.#complainOnce(clashesWith(config, LANGUAGE_WORDS));
  }

  #complainOnce(clashes: readonly Clash[]): void {
    for (const clash of clashes) {
      if (this.#complainedOf.has(clash[0])) continue;
      this.#complainedOf.add(clash[0]);
      this.problems.push(this.#clashProblem(clash));
    }
  }

  #clashProblem([name, meaning]: Clash): Problem {
    const { names, source } = this.config;
    const path = names.get(name)?.path.slice(0, -1) ?? [];
    const message = `${quote(name)} is ${meaning} already`;
    return source.problem(path, { key: name, message, hint: 'Give it another name.' });
  }

  kind(name: string): AnyKind | undefined {
    return this.kinds.find((kind) => kind.name === name);
  }

  explorer(name: string): ExplorerSettings | undefined {
    const explorer = this.config.explorers.get(name);
    if (explorer !== undefined) this.#use(explorer);
    return explorer;
  }

  channel(name: string): Channel | undefined {
    const channel = this.config.channels.get(name);
    if (channel !== undefined) this.#use(channel);
    return channel;
  }

  #use(needed: ExplorerSettings | Channel): void {
    if (this.#used.has(needed)) return;
    this.#used.add(needed);
    this.problems.push(...needed.missing);
  }

  language(kind: AnyKind, explorer: string): Language {
    const ofKind = this.#languages.get(kind) ?? new Map<string, Language>();
    const language =
      ofKind.get(explorer) ??
      this.#cache.language(kind, explorer, meaningsOn(this.config, explorer, this.#clashesOf(kind)));
    this.#languages.set(kind, ofKind.set(explorer, language));
    return language;
  }

  /** Names that have another meaning in conditions of the kind. They are reported once the kind is used. */
  #clashesOf(kind: AnyKind): ReadonlySet<string> {
    const ofKind = clashesWith(this.config, wordsOf(kind));
    if (!this.#usedKinds.has(kind)) this.#complainOnce(ofKind);
    this.#usedKinds.add(kind);
    return new Set([...clashesWith(this.config, LANGUAGE_WORDS), ...ofKind].map(([name]) => name));
  }

  unused(): Problem[] {
    const warnings: Problem[] = [];
    for (const one of [...this.config.explorers.values(), ...this.config.channels.values()])
      if (!this.#used.has(one)) warnings.push(...one.missing);
    for (const channel of this.config.channels.values())
      if (this.#used.has(channel) && channel.missing.length === 0)
        for (const message of channel.notifier.warnings(channel.to))
          warnings.push(this.config.source.problem(['channels'], { key: channel.name, message }));
    const idle = this.kinds.filter((kind) => !this.#usedKinds.has(kind));
    const clashes = new Map(idle.flatMap((kind) => clashesWith(this.config, wordsOf(kind))));
    const unsaid = [...clashes].filter(([name]) => !this.#complainedOf.has(name));
    return [...warnings, ...unsaid.map((clash) => this.#clashProblem(clash))];
  }
}

/** A name of the config, and the meaning of the same word in conditions. */
type Clash = readonly [name: string, meaning: string];

/** Finds names of the config that equal another word of conditions. Each word may have one meaning only. */
function clashesWith({ names }: Config, words: ReadonlyMap<string, string>): readonly Clash[] {
  return [...words].filter(([word]) => names.has(word));
}

/** Words that exist in conditions of every kind. */
const LANGUAGE_WORDS: ReadonlyMap<string, string> = new Map([
  ...RESERVED_NAMES.map((name) => [name, 'a word of CEL'] as const),
  ...[...FUNCTIONS, ...METHODS].map((name) => [name, 'a function'] as const),
  [BEFORE, 'the record before a change'],
]);

function wordsOf({ name: kind, noun, fields }: AnyKind): ReadonlyMap<string, string> {
  const ownFields = Object.keys(fields.fields).map((name) => [name, `a field of ${kind}`] as const);
  return new Map([...ownFields, [noun, `the noun of ${kind}`]]);
}

/** `except`: names with another meaning in a condition; they are reported separately. */
function meaningsOn(config: Config, explorer: string, except: ReadonlySet<string>): ReadonlyMap<string, Meaning> {
  const meanings = new Map<string, Meaning>();
  for (const [name, meaning] of config.names) if (!except.has(name)) meanings.set(name, meaningOn(meaning, explorer));
  const tokens = tokensOn(config, explorer);
  if (!config.names.has(ALL_TOKENS) && tokens.length > 0) meanings.set(ALL_TOKENS, tokens);
  return meanings;
}

/** The tokens of the config that have an address on the explorer, each once. */
function tokensOn({ names }: Config, explorer: string): readonly Address[] {
  const addresses = [...names.values()].flatMap((name) => {
    const meaning = name.type === 'token' ? meaningOn(name, explorer) : null;
    return meaning instanceof Address ? [meaning] : [];
  });
  return [...new Map(addresses.map((address) => [address.key, address])).values()];
}

/** The meaning of a name on one explorer. */
export function meaningOn(meaning: Name, explorer: string): Meaning {
  switch (meaning.type) {
    case 'address':
      return meaning.address;
    case 'group':
      return meaning.addresses;
    case 'token':
      return meaning.byExplorer.get(explorer) ?? meaning.everywhere ?? 'absent';
  }
}
