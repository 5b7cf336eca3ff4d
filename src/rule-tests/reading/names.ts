// The names that rule files use, for a test without a config. A name that is similar to a field is left out: it is
// probably misspelt, and loading reports it.
import { nearest } from '../../config/values/nearest.ts';
import { LABEL, NAME } from '../../config/values/scalars.ts';
import { type WrittenMap, type WrittenValue, isMap } from '../../config/yaml/written.ts';
import { parseYaml } from '../../config/yaml/yaml.ts';
import { Address } from '../../core/values/address.ts';
import type { AnyKind } from '../../core/model/watch/kind.ts';
import type { RuleFile } from '../../rules/load.ts';
import { BEFORE, FUNCTIONS, METHODS, RESERVED_NAMES } from '../../rules/language/words.ts';

export interface UsedNames {
  readonly explorers: ReadonlySet<string>;
  readonly channels: ReadonlySet<string>;
  readonly addresses: ReadonlySet<string>;
  readonly groups: ReadonlySet<string>;
  readonly tokens: ReadonlySet<string>;
}

export function namesUsedIn(files: readonly RuleFile[], kinds: readonly AnyKind[]): UsedNames {
  const gatherer = new Gatherer(kinds);
  for (const { file, text } of files) {
    const parsed = parseYaml(file, text);
    if ('source' in parsed) gatherer.gatherFile(parsed.source.value);
  }
  return gatherer;
}

class Gatherer implements UsedNames {
  readonly explorers = new Set<string>();
  readonly channels = new Set<string>();
  readonly addresses = new Set<string>();
  readonly groups = new Set<string>();
  readonly tokens = new Set<string>();
  readonly #kinds: readonly AnyKind[];
  readonly #taken: ReadonlySet<string>;
  readonly #addressKeys: ReadonlySet<string>;

  constructor(kinds: readonly AnyKind[]) {
    this.#kinds = kinds;
    const ofKinds = kinds.flatMap(({ noun, fields }) => [noun, ...Object.keys(fields.fields)]);
    this.#addressKeys = new Set(kinds.flatMap(({ addressOptions = [] }) => addressOptions));
    this.#taken = new Set([...ofKinds, BEFORE, ...FUNCTIONS, ...METHODS, ...RESERVED_NAMES]);
  }

  gatherFile(file: WrittenValue): void {
    const { defaults = '', watches = '', reports = '' } = isMap(file) ? file : {};
    for (const shared of [defaults, ...listOf(reports)]) this.#gatherShared(shared);
    for (const watch of listOf(watches)) {
      this.#gatherShared(watch);
      if (!isMap(watch)) continue;
      add(this.addresses, watch['of'], (name) => NAME.test(name) && Address.parse(name) === undefined);
      for (const key of this.#addressKeys)
        add(this.addresses, watch[key], (name) => NAME.test(name) && Address.parse(name) === undefined);
      add(this.tokens, watch['token'], (name) => NAME.test(name) && Address.parse(name) === undefined);
      const { kind, options } = this.#ownKeysOf(watch);
      const { addresses = [], tokens = [] } = options === null ? {} : (kind?.namesIn?.(options.value) ?? {});
      for (const name of addresses) this.addresses.add(name);
      for (const name of tokens) this.tokens.add(name);
      const fields = options === null ? [] : Object.keys(kind?.forOptions?.(options.value).fields.fields ?? {});
      for (const alert of listOf(watch['alerts'] ?? '')) this.#gatherAlert(alert, new Set(fields));
    }
  }

  /** The kind of a watch with its own keys; null: they are wrong, which loading reports. */
  #ownKeysOf(watch: WrittenMap): { readonly kind: AnyKind | undefined; readonly options: { value: unknown } | null } {
    const kind = this.#kinds.find(({ name }) => name === watch['kind']);
    const own = Object.entries(watch).filter(([key]) => kind !== undefined && Object.hasOwn(kind.options.shape, key));
    const parsed = kind?.options.safeParse(Object.fromEntries(own));
    return { kind, options: parsed?.success === true ? { value: parsed.data } : null };
  }

  #gatherShared(written: WrittenValue): void {
    if (!isMap(written)) return;
    add(this.explorers, written['explorer'], (name) => LABEL.test(name));
    add(this.channels, written['notify'], (name) => LABEL.test(name));
  }

  /** `fields` contains the fields that the options of the watch add. */
  #gatherAlert(alert: WrittenValue, fields: ReadonlySet<string>): void {
    this.#gatherShared(alert);
    if (!isMap(alert)) return;
    for (const key of ['if', 'while', 'until']) {
      const condition = alert[key];
      if (typeof condition === 'string') this.#gatherCondition(condition, fields);
    }
  }

  #gatherCondition(condition: string, fields: ReadonlySet<string>): void {
    const text = condition.replace(/"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'/g, '""');
    const locals = new Set([...text.matchAll(/\.\w+\(\s*(\w+)\s*,/g)].map(([, name]) => name));
    for (const [, isIn, name = ''] of text.matchAll(/(?<![\w.])(in\s+)?([A-Za-z_]\w*)(?![\w.]|\s*\()/g)) {
      if (locals.has(name) || fields.has(name) || this.#taken.has(name) || nearest(name, this.#taken) !== undefined)
        continue;
      (isIn === undefined ? this.addresses : this.groups).add(name);
    }
  }
}

function listOf(written: WrittenValue): readonly WrittenValue[] {
  return Array.isArray(written) ? written : [];
}

function add(to: Set<string>, written: WrittenValue | undefined, isName: (name: string) => boolean): void {
  for (const name of Array.isArray(written) ? written : [written])
    if (typeof name === 'string' && isName(name)) to.add(name);
}
