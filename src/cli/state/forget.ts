import { findWatches } from '../../explain/find.ts';
import { forgetWatch } from '../../store/open.ts';
import { CommandError, EXIT } from '../exit.ts';
import { loadToRead, type ConfigOption } from '../load.ts';
import type { Terminal } from '../terminal.ts';

/** Removes the memory of one watch from the state. The memory may be damaged, and the daemon may be running. */
export async function stateForget(terminal: Terminal, name: string, { config: file }: ConfigOption): Promise<number> {
  const { config, watches } = loadToRead(terminal, file);
  const found = findWatches(watches, name);
  if ('complaint' in found) throw new CommandError(EXIT.usage, found.complaint);
  const [first, ...others] = found.map(({ watch }) => watch);
  if (first === undefined || others.length > 0)
    throw new CommandError(
      EXIT.usage,
      `${name} matches ${found.length} watches: name one of them, such as '${first?.name ?? ''}'`,
    );
  const isForgotten = await forgetWatch(config.state, first.id);
  terminal.out(
    isForgotten
      ? `${first.name}: its memory is removed. The watch starts with a new baseline; messages that were sent stay as they are.`
      : `${first.name}: no memory was stored.`,
  );
  return EXIT.ok;
}
