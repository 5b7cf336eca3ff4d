// Accepts a config that names none of the watches in the database.
import { declaredIn } from '../../app/runtime/shards.ts';
import { acceptConfig } from '../../store/open.ts';
import { EXIT } from '../exit.ts';
import { loadOrFail, type ConfigOption } from '../load.ts';
import type { Terminal } from '../terminal.ts';

export async function stateAccept(terminal: Terminal, { config: file }: ConfigOption): Promise<number> {
  const setup = loadOrFail(terminal, file);
  const config = declaredIn(setup).checksum;
  const names = await acceptConfig(setup.config.state, { config, actor: terminal.login ?? 'operator' });
  terminal.out(`accepted: config ${config}. ${names.length === 0 ? NOBODY : `It is run by ${names.join('; ')}.`}`);
  if (names.length > 0) terminal.out('Watches that it no longer names end half a minute after all replicas run it.');
  return EXIT.ok;
}

const NOBODY = 'No replica runs it now: check that this command reads the same files and secrets as they do.';
