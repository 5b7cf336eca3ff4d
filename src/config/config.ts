// Loads and checks the config. A secret that cannot be read is a problem only if a watch needs it. Until the rules are
// loaded, the problem is kept in `missing` of the explorer or channel.
import type { Config, ConfigTools, Loaded, Name, RecordingSettings } from './model.ts';
import { dirname, resolve } from 'node:path';
import { secretsOf as secretParts } from '../notifiers/wire/egress.ts';
import { checksumWarnings } from './values/checksums.ts';
import { readChannel } from './channels.ts';
import { readExplorer } from './explorers.ts';
import { parseAt } from './issues.ts';
import { readNames } from './values/names.ts';
import { readInhibit } from './routing/inhibit.ts';
import { mirrorsInRoutes } from './routing/mirrors-in-routes.ts';
import { readRoutes } from './routing/routes.ts';
import { type Problem, fileProblem, reasonOf, sortProblems } from './problem.ts';
import { sharedPlanWarnings } from './shared-plans.ts';
import { ConfigShape } from './shape.ts';
import { networkWarnings } from './network-warnings.ts';
import { createSecretReader } from './values/secrets.ts';
import type { Secret } from './values/secret.ts';
import { readHttp } from './service/http.ts';
import { readDigest } from './service/digest.ts';
import { readHeartbeat } from './service/heartbeat.ts';
import { readSelf } from './service/self.ts';
import { readState } from './service/state.ts';
import { type WrittenValue, type WrittenMap, isMap } from './yaml/written.ts';
import { type Source, parseYaml } from './yaml/yaml.ts';

/** Reads and checks the config file. Returns the config, or all of its problems. Never throws. */
export function loadConfig(file: string, tools: ConfigTools): Loaded {
  let text: string;
  try {
    text = tools.readFile(resolve(file));
  } catch (error) {
    const problem = fileProblem(
      file,
      `cannot be read: ${reasonOf(error)}`,
      'Name a config with --config; `chainwarden init` writes one.',
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
  const routes = collect(readRoutes(source, written.routes, Object.keys(written.channels))) ?? [];
  problems.push(...mirrorsInRoutes(source, routes, channels));
  const inhibit = collect(readInhibit(source, written.inhibit)) ?? [];
  const self = readSelf({ source, channels, names: Object.keys(written.channels) }, written.self);
  const digest = collect(readDigest({ source, channels, names: Object.keys(written.channels) }, written.digest));
  const heartbeat = readHeartbeat(source, written.heartbeat, secrets);
  const state = readState({ source, directory, secrets }, written.state);
  problems.push(...self.problems, ...heartbeat.problems, ...state.problems);
  if ('value' in shape) problems.push(...missingParts(source, written));
  const http = collect(readHttp(source, written.http, { secrets, listen: tools.env['CHAINWARDEN_LISTEN'] }));
  if (problems.length > 0 || http === null) return { config: null, problems: sortProblems(problems), warnings: [] };
  const config: Config = {
    file: source.file,
    directory,
    source,
    explorers,
    names,
    channels,
    routes,
    inhibit,
    blindAfterMs: written.blind_after,
    self: self.value,
    heartbeat: heartbeat.value,
    digest,
    state: state.value,
    timeZone: written.time_zone ?? written.http.time_zone ?? 'UTC',
    recording: recordingOf(written.recording, directory),
    http,
    rules: written.rules,
  };
  const warnings = [
    ...checksumWarnings(source),
    ...secrets.exposed(),
    ...networkWarnings(source, config.explorers.values()),
    ...sharedPlanWarnings(source, explorers),
    ...zoneWarnings(source, written),
    ...self.warnings,
    ...heartbeat.warnings,
  ];
  return { config, problems: [], warnings };
}

type Shape = ReturnType<typeof ConfigShape.parse>;

function zoneWarnings(source: Source, { http }: Shape): Problem[] {
  if (http.time_zone === undefined) return [];
  const message = '`time_zone` stands at the top of the config, since messages and the command line go by it too';
  const hint = `Write time_zone: ${http.time_zone} there. Until then it is read here.`;
  return [source.problem(['http', 'time_zone'], { message, hint })];
}

function recordingOf(written: Shape['recording'], directory: string): RecordingSettings | null {
  if (written === undefined) return null;
  return { file: resolve(directory, written.file), keepMs: written.keep, maxBytes: written.max_size };
}

/**
 * Drops empty keys: `addresses:` with nothing below it counts as absent. Files whose examples are commented out have
 * such keys.
 */
export function withoutEmpty(value: unknown): unknown {
  if (!isMap(value)) return value;
  return Object.fromEntries(Object.entries(value).filter(([, part]) => part !== ''));
}

/** If the outer shape is wrong, the readable parts are still checked, so that all problems are reported at once. */
function halfRead(value: unknown): Shape {
  const mapAt = (key: string): WrittenMap => {
    const part = isMap(value) ? value[key] : undefined;
    return isMap(part) ? part : {};
  };
  const listAt = (key: string): WrittenValue[] => {
    const part = isMap(value) ? value[key] : undefined;
    return Array.isArray(part) ? part : [];
  };
  return {
    ...ConfigShape.parse({ explorers: {}, channels: {} }),
    explorers: mapAt('explorers'),
    addresses: mapAt('addresses'),
    tokens: mapAt('tokens'),
    channels: mapAt('channels'),
    routes: listAt('routes'),
    inhibit: listAt('inhibit'),
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

/** Every secret text of the config, for redaction. */
export function secretsOf(config: Config): string[] {
  const texts = [...config.channels.values()].flatMap(({ secrets }) => secrets);
  const { operators, proxy } = config.http;
  const tokens = [...operators.map(({ token }) => token), proxy?.secret];
  texts.push(...tokens.flatMap((token) => token?.reveal() ?? []));
  if (config.state.postgres !== null) texts.push(...databaseSecrets(config.state.postgres.url));
  if (config.heartbeat !== null) texts.push(...secretParts(config.heartbeat.url.reveal()));
  for (const explorer of config.explorers.values()) {
    if (explorer.form === 'sandbox') continue;
    if (explorer.apiKey !== null) texts.push(explorer.apiKey.reveal());
    texts.push(...Object.values(explorer.headers).map((value) => value.reveal()));
  }
  return [...new Set(texts)].filter((text) => text.length >= SHORTEST_HIDDEN);
}

/** The whole URL, and its password, both as written in the URL and percent-decoded. */
function databaseSecrets(url: Secret): string[] {
  const written = URL.parse(url.reveal())?.password ?? '';
  return [url.reveal(), written, decoded(written)];
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Shorter texts are not redacted: a secret "1" would hide every "1" of a log. */
const SHORTEST_HIDDEN = 4;
