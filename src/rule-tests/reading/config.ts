// The config of a test: the one that it names, without channels and secrets, or one synthesized from the names that the
// rules use.
import { loadConfig } from '../../config/config.ts';
import type { Config, ConfigTools, Loaded } from '../../config/model.ts';
import type { AnyNotifier } from '../../notifiers/notifier.ts';
import { z } from 'zod';
import { syntheticAddress } from '../../watches/synthetic.ts';
import type { UsedNames } from './names.ts';

/** Reads a config for its names only. */
export function loadOfflineConfig(file: string, tools: ConfigTools): Loaded {
  const loaded = loadConfig(file, tools);
  return loaded.config === null ? loaded : { ...loaded, config: offline(loaded.config) };
}

/** The config without missing secrets. Each channel has one recipient, with the name of the channel. */
function offline(config: Config): Config {
  const explorers = [...config.explorers].map(([name, explorer]) => [name, { ...explorer, missing: [] }] as const);
  const channels = [...config.channels].map(
    ([name, channel]) => [name, { ...channel, notifier: NO_CHANNEL, to: {}, missing: [], secrets: [] }] as const,
  );
  return { ...config, explorers: new Map(explorers), channels: new Map(channels) };
}

const NO_CHANNEL: AnyNotifier = {
  type: 'nobody',
  summary: 'Sends no message.',
  unit: 'group',
  idempotent: true,
  readBy: 'people',
  config: z.object({}),
  secrets: [],
  giveUpAfterMs: 0,
  recipients: (_to, channel) => [channel],
  warnings: () => [],
  open: () => {
    throw new TypeError('a test of rules sends nothing');
  },
};

/** Name of the synthesized config in problems. */
const MADE_UP = '(config made up, for the test names none)';

/** A config with these names. None of its explorers and channels exists. */
export function syntheticConfig({ explorers, addresses, groups, tokens, channels }: UsedNames): Loaded {
  const addressOf = (name: string) => syntheticAddress(name).text;
  const single = [...addresses].filter((name) => !groups.has(name) && !tokens.has(name));
  const text = JSON.stringify({
    explorers: mapOf(orElse(explorers, 'chain'), () => ({
      form: 'instance',
      instance_url: 'https://explorer.invalid',
      rpc: 'true',
    })),
    addresses: { ...mapOf(single, addressOf), ...mapOf([...groups], (name) => [addressOf(name)]) },
    tokens: mapOf([...tokens], addressOf),
    channels: mapOf(orElse(channels, 'somebody'), () => ({ type: NO_CHANNEL.type })),
  });
  return loadConfig(MADE_UP, { env: {}, readFile: () => text, notifiers: [NO_CHANNEL] });
}

function orElse(names: ReadonlySet<string>, otherwise: string): string[] {
  return names.size === 0 ? [otherwise] : [...names];
}

function mapOf<T>(names: readonly string[], valueOf: (name: string) => T): Record<string, T> {
  return Object.fromEntries(names.map((name) => [name, valueOf(name)]));
}
