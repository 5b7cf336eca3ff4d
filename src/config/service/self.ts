// The channels for alerts about the daemon itself.
import type { Channel } from '../model.ts';
import { hintFor } from '../values/nearest.ts';
import type { Problem } from '../problem.ts';
import { quote } from '../values/scalars.ts';
import type { Path } from '../yaml/written.ts';
import type { Source } from '../yaml/yaml.ts';

export interface DeclaredChannels {
  readonly source: Source;
  /** The channels that could be read. */
  readonly channels: ReadonlyMap<string, Channel>;
  /** The names of all channels in the config. */
  readonly names: readonly string[];
}

interface Read {
  readonly value: readonly string[];
  readonly problems: readonly Problem[];
  readonly warnings: readonly Problem[];
}

const NOBODY = 'none';

/**
 * `written`: names of channels, `none`, or undefined. The default is the only channel, or the first of several, with a
 * warning.
 */
export function readSelf(config: DeclaredChannels, written: readonly string[] | undefined): Read {
  if (written === undefined) return byDefault(config);
  if (written.length === 1 && written[0] === NOBODY) return { value: [], problems: [], warnings: [] };
  return { ...channelsAt(config, ['self'], written), warnings: [] };
}

function byDefault({ source, channels, names }: DeclaredChannels): Read {
  const usable = [...channels.values()].filter(({ missing }) => missing.length === 0);
  const [first] = usable;
  if (first === undefined) return { value: [], problems: [], warnings: [] };
  const message = `what is wrong with the daemon itself goes to ${quote(first.name)}, the first channel`;
  const hint = `Write self: [${first.name}] to say so, name others, or write self: none.`;
  const warnings = names.length === 1 ? [] : [source.problem(['channels'], { key: first.name, message, hint })];
  return { value: [first.name], problems: [], warnings };
}

/** Checks channels that the config names at `path`. If one of them lacks a secret, this is a problem. */
export function channelsAt(
  { source, channels, names }: DeclaredChannels,
  path: Path,
  written: readonly string[],
): Pick<Read, 'value' | 'problems'> {
  const problemsOf = (name: string, i: number): readonly Problem[] => {
    if (names.includes(name)) return channels.get(name)?.missing ?? [];
    const at = written.length > 1 ? [...path, i] : path;
    return [source.problem(at, { message: `no channel ${quote(name)}`, hint: hintFor(name, names) })];
  };
  return {
    value: [...new Set(written)],
    problems: written.flatMap(problemsOf),
  };
}
