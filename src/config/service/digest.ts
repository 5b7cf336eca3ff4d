// The `digest:` part of the config: when the daily report is made, and who reads it.
import type { z } from 'zod';
import type { DigestShape } from './digest-shape.ts';
import type { DigestSettings } from '../model.ts';
import type { Problem } from '../problem.ts';
import { channelsAt, type DeclaredChannels } from './self.ts';

interface Read {
  readonly value: DigestSettings | null;
  readonly problems: readonly Problem[];
}

/** Null if the config has no daily report. */
export function readDigest(config: DeclaredChannels, written: z.output<typeof DigestShape> | undefined): Read {
  if (written === undefined) return { value: null, problems: [] };
  const { value: notify, problems } = channelsAt(config, ['digest', 'notify'], written.notify);
  return { value: { time: { minutes: written.at, zone: written.zone }, notify }, problems };
}
