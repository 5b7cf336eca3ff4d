import type { WatchId } from '../../core/model/ids.ts';
import type { Memory } from '../../core/model/memory.ts';
import { withStored } from '../../core/alerts/history.ts';
import { outlineOf, readOutline, type Outline } from '../../plan/outline.ts';
import { planOf, type PlanState } from '../../plan/plan.ts';
import { openReaderIfAny, stateName } from '../../store/open.ts';
import type { StoreReader } from '../../store/contract/store.ts';
import { EXIT } from '../exit.ts';
import { loadOrFail, type ConfigOption } from '../load.ts';
import type { Terminal } from '../terminal.ts';

export interface PlanOptions extends ConfigOption {
  readonly against?: string;
}

const NOTHING: Outline = { rules: {}, watches: [], reports: {}, names: {}, routing: [], credits: {} };

/**
 * Shows the effects of a config on the data in the state file, before the config is loaded. Writes and sends nothing.
 */
export async function plan(terminal: Terminal, { config: file, against }: PlanOptions): Promise<number> {
  const planned = loadOrFail(terminal, file, EXIT.problems);
  const { config } = planned;
  const other = against === undefined ? null : loadOrFail(terminal, against, EXIT.problems);
  await using reader = await openReaderIfAny(config.state);
  if (reader === null)
    terminal.out(`There is no state at ${stateName(config.state)}: which alerts are open is not known.`);
  const [place, former] = [stateName(config.state), other === null ? null : stateName(other.config.state)];
  if (former !== null && former !== place)
    terminal.out(`The state is another one, ${place}: what ${former} remembers is left behind.`);
  const before = other === null ? await runningIn(reader, terminal) : outlineOf(other);
  for (const line of planOf(before, planned, await stateOf(reader, terminal))) terminal.out(line);
  return EXIT.ok;
}

async function runningIn(reader: StoreReader | null, terminal: Terminal): Promise<Outline> {
  const running = reader === null ? null : readOutline(await reader.running());
  if (running === null)
    terminal.out(
      'The config that runs now is not known: everything is shown as added. --against FILE names a config to compare with.',
    );
  return running ?? NOTHING;
}

async function stateOf(reader: StoreReader | null, terminal: Terminal): Promise<PlanState> {
  const now = terminal.clock.now();
  if (reader === null) return { memories: new Map(), diagnostics: new Map(), told: new Map(), now };
  const memories = new Map<WatchId, Memory>();
  const recalled = await reader.recall(undefined, (id, why) => {
    terminal.err(`warning: ${why} (watch ${id})\n`);
  });
  for (const [id, memory] of recalled) memories.set(id, withStored(memory, await reader.samples(id)));
  return { memories, diagnostics: await reader.diagnostics(), told: await reader.told(), now };
}
