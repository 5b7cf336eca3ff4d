// The operator's settings, read once and trusted from then on. A secret that cannot be had is a problem only when a
// watch needs it, so it stays with its explorer or channel until the rules are known.
import { dirname, resolve } from 'node:path';
import type { Address } from '../core/address.ts';
import type { Coin } from '../core/kind.ts';
import type { AnyNotifier } from '../notifiers/notifier.ts';
import { readChannel } from './channels.ts';
import { readExplorer } from './explorers.ts';
import { parseAt } from './issues.ts';
import { readNames } from './names.ts';
import { fileProblem, reasonOf, sortProblems, type Problem } from './problem.ts';
import { ConfigShape } from './shape.ts';
import type { Secret } from './secret.ts';
import { createSecretReader } from './secrets.ts';
import { readListen } from './listen.ts';
import { isMap, parseYaml, type Path, type Source, type WrittenMap } from './yaml.ts';

export interface Config {
  /** As it was named on the command line. */
  readonly file: string;
  /** Absolute; relative paths start here. */
  readonly directory: string;
  /** To point into the file when the rules show that something in it is wrong. */
  readonly source: Source;
  readonly explorers: ReadonlyMap<string, Explorer>;
  readonly names: ReadonlyMap<string, Name>;
  readonly channels: ReadonlyMap<string, Channel>;
  /** Absolute path. */
  readonly stateFile: string;
  /** What polls see is kept there; null = nowhere. */
  readonly recording: RecordingSettings | null;
  readonly listen: { readonly host: string; readonly port: number };
  /** As written. */
  readonly rules: readonly string[];
}

export interface RecordingSettings {
  /** Absolute path. */
  readonly file: string;
  readonly keepMs: number;
  readonly maxBytes: number;
}

interface ExplorerBase {
  readonly name: string;
  readonly coin: Coin;
  /** Without a slash at its end. */
  readonly pageUrl: string | null;
  readonly path: Path;
  /** Secrets that could not be read, or cannot be sent; a problem when a watch uses this explorer. */
  readonly missing: readonly Problem[];
}

interface RemoteExplorer extends ExplorerBase {
  readonly apiKey: Secret | null;
  readonly auth: 'bearer' | 'query';
  readonly plan: Plan | null;
  readonly concurrency: number;
  readonly headers: Readonly<Record<string, Secret>>;
}

interface MultichainExplorer extends RemoteExplorer {
  readonly form: 'multichain';
  readonly baseUrl: string;
  readonly chainId: string;
}

interface InstanceExplorer extends RemoteExplorer {
  readonly form: 'instance';
  readonly instanceUrl: string;
}

export interface SandboxExplorer extends ExplorerBase {
  readonly form: 'sandbox';
  readonly seed: number;
  readonly blockTime: { readonly ms: number } | 'manual';
  readonly control: boolean;
}

export type Explorer = MultichainExplorer | InstanceExplorer | SandboxExplorer;

export interface Plan {
  readonly requestsPerSecond: number | null;
  readonly credits: number | null;
  readonly per: 'day' | 'month';
  /** 0 to 100. */
  readonly reservePercent: number;
}

/** What a rule may name. Tokens may have one address per explorer; `everywhere` is the one that holds on all of them. */
export type Name =
  | { readonly type: 'address'; readonly path: Path; readonly address: Address }
  | { readonly type: 'group'; readonly path: Path; readonly addresses: readonly Address[] }
  | {
      readonly type: 'token';
      readonly path: Path;
      readonly everywhere: Address | null;
      readonly byExplorer: ReadonlyMap<string, Address>;
    };

export interface Channel {
  readonly name: string;
  readonly type: string;
  readonly path: Path;
  readonly notifier: AnyNotifier;
  /** What the notifier's schema made of it; undefined while a secret is missing. */
  readonly to: unknown;
  readonly missing: readonly Problem[];
  readonly secrets: readonly string[];
}

/** The text of a file of at most `maxBytes`, 1 MiB where it is left out; throws when there is none. */
export type ReadFile = (path: string, maxBytes?: number) => string;

export interface ConfigTools {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly readFile: ReadFile;
  readonly notifiers: readonly AnyNotifier[];
}

export type Loaded =
  | { readonly config: Config; readonly problems: readonly []; readonly warnings: readonly Problem[] }
  | { readonly config: null; readonly problems: readonly Problem[]; readonly warnings: readonly Problem[] };

/** Reads and checks the config file: all of its problems at once, or a config to trust. Never throws. */
export function loadConfig(file: string, tools: ConfigTools): Loaded {
  let text: string;
  try {
    text = tools.readFile(resolve(file));
  } catch (error) {
    const problem = fileProblem(
      file,
      `cannot be read: ${reasonOf(error)}`,
      'Name a readable config file with --config.',
    );
    return { config: null, problems: [problem], warnings: [] };
  }
  const parsed = parseYaml(file, text);
  if ('problems' in parsed) return { config: null, problems: sortProblems(parsed.problems), warnings: [] };
  return readConfig(parsed.source, tools);
}

function readConfig(source: Source, tools: ConfigTools): Loaded {
  const problems: Problem[] = [];
  const value = withoutEmpty(source.value);
  const shape = parseAt(ConfigShape, value, { source, path: [] });
  if ('problems' in shape) problems.push(...shape.problems);
  const written = 'value' in shape ? shape.value : halfRead(value);
  const directory = dirname(resolve(source.file));
  const secrets = createSecretReader(source, directory, tools);
  const collect = <T>(part: { value: T | null; problems: readonly Problem[] }): T | null => {
    problems.push(...part.problems);
    return part.value;
  };
  const explorers = readEach(written.explorers, (name, value) => collect(readExplorer(source, name, value, secrets)));
  const names = collect(readNames(source, written, Object.keys(written.explorers))) ?? new Map<string, Name>();
  const channels = readEach(written.channels, (name, value) =>
    collect(readChannel({ source, name, written: value, secrets, notifiers: tools.notifiers })),
  );
  if ('value' in shape) problems.push(...missingParts(source, written));
  const listen = collect(readListen(source, tools.env['CHAINWARDEN_LISTEN'], written.http.listen));
  if (problems.length > 0 || listen === null) return { config: null, problems: sortProblems(problems), warnings: [] };
  const config: Config = {
    file: source.file,
    directory,
    source,
    explorers,
    names,
    channels,
    stateFile: resolve(directory, written.state.file),
    recording: recordingOf(written.recording, directory),
    listen,
    rules: written.rules,
  };
  return { config, problems: [], warnings: [] };
}

type Shape = ReturnType<typeof ConfigShape.parse>;

function recordingOf(written: Shape['recording'], directory: string): RecordingSettings | null {
  if (written === undefined) return null;
  return { file: resolve(directory, written.file), keepMs: written.keep, maxBytes: written.max_size };
}

/** `addresses:` with nothing below it, as in a file where the examples are commented out, says nothing. */
export function withoutEmpty(value: unknown): unknown {
  if (!isMap(value)) return value;
  return Object.fromEntries(Object.entries(value).filter(([, part]) => part !== ''));
}

/** When the outer shape is wrong, its parts are still looked at: every problem at once. */
function halfRead(value: unknown): Shape {
  const mapAt = (key: string): WrittenMap => {
    const part = isMap(value) ? value[key] : undefined;
    return isMap(part) ? part : {};
  };
  return {
    ...ConfigShape.parse({ explorers: {}, channels: {} }),
    explorers: mapAt('explorers'),
    addresses: mapAt('addresses'),
    tokens: mapAt('tokens'),
    channels: mapAt('channels'),
  };
}

function readEach<T>(
  written: Readonly<Record<string, unknown>>,
  read: (name: string, value: unknown) => T | null,
): ReadonlyMap<string, T> {
  const byName = new Map<string, T>();
  for (const [name, value] of Object.entries(written)) {
    const one = read(name, value);
    if (one !== null) byName.set(name, one);
  }
  return byName;
}

function missingParts(source: Source, { explorers, channels }: Shape): Problem[] {
  const problems: Problem[] = [];
  if (Object.keys(explorers).length === 0)
    problems.push(
      source.problem(['explorers'], {
        message: 'there is no explorer',
        hint: 'Name one, such as playground: { form: sandbox }.',
      }),
    );
  if (Object.keys(channels).length === 0)
    problems.push(
      source.problem(['channels'], {
        message: 'there is no channel',
        hint: 'Name one, such as screen: { type: log }.',
      }),
    );
  return problems;
}

/** Every secret text of the config, for the logger to hide wherever it turns up. */
export function secretsOf(config: Config): string[] {
  const texts = [...config.channels.values()].flatMap(({ secrets }) => secrets);
  for (const explorer of config.explorers.values()) {
    if (explorer.form === 'sandbox') continue;
    if (explorer.apiKey !== null) texts.push(explorer.apiKey.reveal());
    texts.push(...Object.values(explorer.headers).map((value) => value.reveal()));
  }
  return [...new Set(texts)].filter((text) => text.length >= SHORTEST_HIDDEN);
}

/** Hiding every "1" of a log would hide nothing else. */
const SHORTEST_HIDDEN = 4;
