// Compiles one watch of a file: checks its keys, resolves its names, compiles its alerts, and makes one instance per
// explorer, address and token.
import type { AnyKind } from '../../core/model/watch/kind.ts';
import type { Schedule } from '../../core/model/watch/watch.ts';
import type { ExplorerSettings } from '../../config/model.ts';
import { remembered } from '../../lib/remembered.ts';
import { parseAt, parseEach } from '../../config/issues.ts';
import { unknownKeys } from '../../config/unknown-keys.ts';
import { hintFor } from '../../config/values/nearest.ts';
import { quote } from '../../config/values/scalars.ts';
import { type Path, type ProblemAt, type WrittenMap, isMap } from '../../config/yaml/written.ts';
import { abiOf } from '../abi/watch-abi.ts';
import type { Catalogue } from './catalogue.ts';
import { claimId } from './claim-id.ts';
import { compileAlerts } from './compile-alert.ts';
import { addressOptions, resolvedOptions } from './address-options.ts';
import { type Instance, spread } from './expand.ts';
import { watchOf } from './instance.ts';
import type { Compiling, Loading, WatchSource } from './model.ts';
import { cronSchedule } from './schedule.ts';
import { Targets } from './targets.ts';
import { WatchShape, type WrittenWatch } from '../schema/shape.ts';

const EVERY_MS = 60_000;
const MAX_PAGES = 20;

/** Adds the watch's instances to the result, and everything wrong with it to the problems. */
export function compileWatch(place: WatchSource, written: unknown, loading: Loading): void {
  const compiler = new WatchCompiler(place, loading);
  if (isMap(written)) compiler.compile(written);
  else compiler.complain([], { message: 'a watch is a map of keys and values', hint: colonHint(written) });
}

/** A hint for a watch without a colon, such as `- id treasury`. */
function colonHint(written: unknown): string | undefined {
  const key = typeof written === 'string' ? /^([\w-]{1,64})(?:\s|:\S)/.exec(written)?.[1] : undefined;
  return key === undefined ? undefined : `Write "${key}: ", with a colon and a blank.`;
}

class WatchCompiler {
  readonly #place: WatchSource;
  readonly #loading: Loading;

  constructor(place: WatchSource, loading: Loading) {
    this.#place = place;
    this.#loading = loading;
  }

  complain(path: Path, at: ProblemAt): void {
    this.#loading.problems.push(this.#place.source.problem([...this.#place.path, ...path], at));
  }

  warn(path: Path, at: ProblemAt): void {
    this.#loading.warnings.push(this.#place.source.problem([...this.#place.path, ...path], at));
  }

  compile(written: WrittenMap): void {
    const family = this.#kindOf(written['kind']);
    const options = this.#optionsOf(family, written);
    const { watch, broken } = this.#shapeOf(family, written);
    if (watch.id !== '') claimId(this.#loading, this.#place, watch.id);
    if (family === undefined) return;
    this.#complainOfNoAddress(family, written);
    const needs = written['of'] === undefined && options !== undefined ? family.needsAddress?.(options.value) : null;
    if (needs) this.complain([], needs);
    const kind = this.#loading.catalogue.kindFor(family, options?.value);
    const schedule = this.#scheduleOf(watch);
    const compiling: Compiling = {
      place: this.#place,
      catalogue: this.#loading.catalogue,
      kind,
      watch,
      hasAddress: written['of'] !== undefined,
      hasOption: (key) => Object.hasOwn(written, key),
      intervalMs: schedule?.intervalMs ?? EVERY_MS,
      complain: (path, at) => {
        this.complain(path, at);
      },
      warn: (path, at) => {
        this.warn(path, at);
      },
      add: (problems) => {
        this.#loading.problems.push(...problems);
      },
      affords: (text, explorer) => this.#loading.budget.affords(text, explorer),
    };
    const isPlaced = !['explorer', 'of', 'token'].some((key) => broken.has(key));
    const instances = isPlaced ? spread(compiling) : [];
    this.#complainOfNoRpc(kind, instances);
    // These keys decide which fields the conditions can read.
    if (options === undefined && family.fieldOptions?.some((key) => Object.hasOwn(written, key)) === true) return;
    const alerts = compileAlerts(compiling, explorersOf(instances, this.#loading.catalogue));
    if (broken.size > 0 || schedule === undefined || options === undefined) return;
    const maxPages = watch.max_pages ?? this.#place.defaults.max_pages ?? MAX_PAGES;
    const targets = new Targets(compiling, this.#loading.routes);
    const isOneOfSeveral = explorersOf(instances, this.#loading.catalogue).length > 1;
    const optionsOn = remembered((explorer: ExplorerSettings) =>
      resolvedOptions(compiling, addressOptions(compiling, options.value, explorer), explorer),
    );
    for (const instance of instances) {
      const compiled = alerts.get(instance.explorer.name) ?? [];
      const own = optionsOn(instance.explorer);
      if (own === null) continue;
      const parts = { instance, alerts: compiled, options: own, schedule, maxPages, isOneOfSeveral, targets };
      this.#loading.watches.push(watchOf(compiling, parts));
    }
  }

  #kindOf(written: unknown): AnyKind | undefined {
    const { kinds } = this.#loading.catalogue;
    const names = kinds.map(({ name }) => name);
    if (typeof written !== 'string') {
      this.complain(written === undefined ? [] : ['kind'], {
        message: written === undefined ? 'kind is missing' : 'must be a single text',
        hint: `Possible: ${names.join(', ')}.`,
      });
      return undefined;
    }
    const kind = this.#loading.catalogue.kind(written);
    if (kind === undefined)
      this.complain(['kind'], { message: `no watch kind ${quote(written)}`, hint: hintFor(written, names) });
    return kind;
  }

  /** The options of the kind, checked by the kind's own schema; undefined if they are wrong. */
  #optionsOf(kind: AnyKind | undefined, written: WrittenMap): { value: unknown } | undefined {
    const own = Object.entries(written).filter(([key]) => !Object.hasOwn(WatchShape.shape, key));
    if (kind === undefined) return undefined;
    const { source, path } = this.#place;
    const moreKeys = Object.keys(WatchShape.shape).filter((key) => isPossible(kind, key));
    const schema = this.#schemaOf(kind, written['abi']);
    if (schema === null) return undefined;
    const parsed = parseAt(schema, Object.fromEntries(own), { source, path, moreKeys });
    if ('value' in parsed) return parsed;
    this.#loading.problems.push(...parsed.problems);
    return undefined;
  }

  /** The schema of the kind's own keys, with the names of the ABI files; null if these have problems. */
  #schemaOf(kind: AnyKind, written: unknown): AnyKind['options'] | null {
    if (kind.optionsWith === undefined || written === undefined) return strictOptions(kind);
    const abi = abiOf(written, this.#loading.abi, (path, at) => {
      this.complain(path, at);
    });
    return (
      abi &&
      kind.optionsWith(abi, ({ path, ...at }) => {
        this.warn(path, at);
      })
    );
  }

  #shapeOf(kind: AnyKind | undefined, written: WrittenMap): Shaped {
    const common = Object.entries(written).filter(([key]) => Object.hasOwn(WatchShape.shape, key) && key !== 'kind');
    const { source, path } = this.#place;
    const parsed = parseAt(WatchShape, { ...Object.fromEntries(common), kind: kind?.name ?? '' }, { source, path });
    if (kind === undefined) {
      const unknown = Object.keys(written).filter(
        (key) => !Object.hasOwn(WatchShape.shape, key) && !this.#isSomeOption(key),
      );
      this.#loading.problems.push(...unknownKeys(source, path, unknown, Object.keys(WatchShape.shape)));
    }
    if ('value' in parsed) return { watch: parsed.value, broken: new Set() };
    this.#loading.problems.push(...parsed.problems);
    const half = { ...FALLBACK, ...parseEach(WatchShape, Object.fromEntries(common)) };
    const broken = Object.keys(WatchShape.shape).filter(
      (key) => Object.hasOwn(written, key) && !Object.hasOwn(half, key),
    );
    return { watch: half, broken: new Set(['id', ...broken]) };
  }

  #isSomeOption(key: string): boolean {
    return this.#loading.catalogue.kinds.some(({ options }) => Object.hasOwn(options.shape, key));
  }

  /** Reports own keys that have no meaning, since the watch has no `of`. */
  #complainOfNoAddress({ needsOf = [] }: AnyKind, written: WrittenMap): void {
    if (written['of'] !== undefined) return;
    for (const key of needsOf.filter((one) => Object.hasOwn(written, one)))
      this.complain([key], { message: `${key} is for a watch with of`, hint: `Name an address in of, or remove it.` });
  }

  #complainOfNoRpc({ name, needsRpc }: AnyKind, instances: readonly Instance[]): void {
    const closed = instances.filter(({ explorer }) => needsRpc === true && !explorer.rpc);
    for (const explorer of new Set(closed.map((one) => one.explorer.name)))
      this.complain(['kind'], {
        message: `${name} asks the JSON-RPC of ${explorer}, which the config does not allow`,
        hint: `Write rpc: true at the explorer ${explorer} in the config. A poll is a POST.`,
      });
  }

  #scheduleOf({ every, cron, zone }: WrittenWatch): Schedule | undefined {
    if (zone !== undefined && cron === undefined)
      this.complain(['zone'], { message: 'zone is for cron', hint: 'Write cron, or remove it.' });
    if (cron === undefined) return { type: 'every', intervalMs: every ?? this.#place.defaults.every ?? EVERY_MS };
    if (every !== undefined) {
      this.complain(['cron'], { message: 'every and cron are both there', hint: 'Keep one of them.' });
      return undefined;
    }
    const schedule = cronSchedule(cron, zone);
    if ('type' in schedule) return schedule;
    this.complain(['cron'], { message: schedule.complaint });
    return undefined;
  }
}

/** The readable keys of a watch. `broken` names the others; if there are any, the watch has no instance. */
interface Shaped {
  readonly watch: WrittenWatch;
  readonly broken: ReadonlySet<string>;
}

/** Replaces keys that could not be read, so that the rest of the watch is still checked. */
const FALLBACK: WrittenWatch = { id: '', kind: '', metrics: true, alerts: [] };

/** Making a schema strict costs more than using it, so the strict schema of each kind is kept. */
function strictOptions(kind: AnyKind): AnyKind['options'] {
  const known = STRICT.get(kind);
  const options = known ?? kind.options.strict();
  if (known === undefined) STRICT.set(kind, options);
  return options;
}

const STRICT = new WeakMap<AnyKind, AnyKind['options']>();

function isPossible(kind: AnyKind, key: string): boolean {
  return !((key === 'of' && kind.of === 'none') || (key === 'token' && kind.token === 'none'));
}

/**
 * The explorers for which the alerts are compiled. If there is no instance, the first explorer is used to find
 * mistakes.
 */
function explorersOf(instances: readonly Instance[], { config }: Catalogue): readonly string[] {
  const names = [...new Set(instances.map(({ explorer }) => explorer.name))];
  return names.length > 0 ? names : [...config.explorers.keys()].slice(0, 1);
}
