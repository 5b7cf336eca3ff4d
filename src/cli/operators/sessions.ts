// Ends the sessions of the page through the API of the daemon.
import { endSessions as action } from '../../operators/sessions.ts';
import { createClient } from './client.ts';
import type { DaemonAddress } from './daemon-place.ts';
import { EXIT } from '../exit.ts';
import type { Terminal } from '../terminal.ts';

export async function endSessions(terminal: Terminal, options: DaemonAddress): Promise<number> {
  await createClient(terminal, options).act(action, {}, {});
  terminal.out('All sessions of the page are over. A token still enters: to take one away, change it in the config.');
  return EXIT.ok;
}
