// The watches of a test file's rules, loaded as the daemon loads them, and the addresses of the names in its rows.
import { dirname } from 'node:path';
import type { Config, ConfigTools, Loaded } from '../../config/model.ts';
import { NAME } from '../../config/values/scalars.ts';
import type { Path, ProblemAt } from '../../config/yaml/written.ts';
import type { AnyKind } from '../../core/model/watch/kind.ts';
import type { Report } from '../../core/reports/model.ts';
import type { Watch } from '../../core/model/watch/watch.ts';
import { Address } from '../../core/values/address.ts';
import type { Instant } from '../../lib/clock.ts';
import { finish } from '../../lib/steps.ts';
import { meaningOn } from '../../rules/compile/catalogue.ts';
import { readAbiFiles } from '../../rules/abi/read-abi-files.ts';
import { createRuleCache } from '../../rules/cache.ts';
import { type RuleFile, loadRules } from '../../rules/load.ts';
import { syntheticAddress } from '../../watches/synthetic.ts';
import type { AddressOf } from '../model.ts';
import { syntheticConfig, loadOfflineConfig } from './config.ts';
import { namesUsedIn } from './names.ts';
import type { TestFile } from './test-file.ts';
import type { ValueReader } from './values.ts';

export interface WatchTools extends ConfigTools {
  readonly kinds: readonly AnyKind[];
}

export interface TestedWatches {
  readonly watches: readonly Watch[];
  readonly reports: readonly Report[];
  /** The config that the test file names. Null if it names none: each name then stands for a synthetic address. */
  readonly config: Config | null;
}

/** A tested watch, and the test file that contains its rows. */
export interface TestedWatch {
  readonly file: TestFile;
  readonly watch: Watch;
  readonly config: Config | null;
}

/** Null if there is no watch, or if a named file cannot be read. The problems are added to the test file. */
export function readWatches(
  file: TestFile,
  { rules, config }: { readonly rules: readonly string[]; readonly config: string | undefined },
  tools: WatchTools,
): TestedWatches | null {
  const files = rules.flatMap((name, i): RuleFile[] => {
    const text = file.readBeside(name, rules.length > 1 ? ['rules', i] : ['rules']);
    return text === undefined ? [] : [{ file: file.beside(name), text }];
  });
  if (files.length < rules.length) return null;
  const loaded = readConfig(file, config, files, tools);
  if (loaded.config === null) return file.add(loaded.problems);
  const cache = createRuleCache();
  // Without a config, the paths of ABI files begin at the test file.
  const directory = config === undefined ? dirname(file.source.file) : loaded.config.directory;
  const abis = finish(readAbiFiles(files, { directory, readFile: tools.readFile, cache }));
  const { watches, reports, problems } = loadRules(loaded.config, files, { ...tools, abis, cache, isPart: true });
  file.add(problems);
  return watches.length === 0 ? null : { watches, reports, config: config === undefined ? null : loaded.config };
}

function readConfig(file: TestFile, config: string | undefined, rules: readonly RuleFile[], tools: WatchTools): Loaded {
  return config === undefined
    ? syntheticConfig(namesUsedIn(rules, tools.kinds))
    : loadOfflineConfig(file.beside(config), tools);
}

/** The address that a name of the config stands for on the watch's explorer; undefined for other names. */
export function addressNames({ config, watch }: Pick<TestedWatch, 'config' | 'watch'>): AddressOf {
  if (config === null) return (name) => (NAME.test(name) ? syntheticAddress(name) : undefined);
  return (name) => {
    const known = config.names.get(name);
    const meaning = known === undefined ? undefined : meaningOn(known, watch.target.explorer);
    return meaning instanceof Address ? meaning : undefined;
  };
}

/** Reads the values of a poll at `at`; problems go to the file. */
export function valueReader(tested: TestedWatch, at: Instant): ValueReader {
  const { file, config } = tested;
  return {
    at,
    addressOf: addressNames(tested),
    names: [...(config?.names ?? [])].flatMap(([name, { type }]) => (type === 'group' ? [] : [name])),
    complain: (path: Path, problem: ProblemAt) => {
      file.complain(path, problem);
    },
  };
}
