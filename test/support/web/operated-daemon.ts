// A daemon with four watches and an operator, alice.
import type { OpenAlertRow, StoredPolicy } from '../../../src/store/contract/operators.ts';
import { openReader } from '../../../src/store/open.ts';
import { OPERATOR_TOKEN } from './api-calls.ts';
import { runApp, serveBalances, type AppChange, type BalanceExplorer, type RunningApp } from '../app.ts';
import { createFolder, type Folder } from '../daemon.ts';
import { stateOf } from '../store/story-state.ts';

export const configOf = ({ url }: BalanceExplorer): string => `
explorers: { chain: { form: instance, instance_url: '${url}' } }
addresses: { treasury: '0x${'11'.repeat(20)}', vault: '0x${'22'.repeat(20)}', both: [treasury, vault] }
channels: { screen: { type: log } }
http: { listen: 127.0.0.1:0, operators: { alice: { token: { env: ALICE } } } }
state: { file: state.db }
rules: [rules.yaml]
`;
export const RULES = `
watches:
  - { id: coins, kind: balance, of: treasury, every: 1m, alerts: [{ id: low, while: balance < 1, severity: critical }] }
  - id: all
    kind: balance
    of: both
    every: 1m
    labels: { team: payments }
    alerts: [{ id: low, while: balance < 1 }, { id: moved, on: changed, severity: info }]
  - { id: other, kind: balance, of: vault, every: 1m, alerts: [{ id: low, while: balance < 0.5 }] }
`;
export const WATCHES = 4;
export interface OperatedDaemon extends AsyncDisposable {
  readonly explorer: BalanceExplorer;
  readonly folder: Folder;
  readonly running: RunningApp;
  /** What its log channel printed: the only one, which is told of the daemon itself too. */
  readonly told: readonly string[];
}

/** One that has polled all of its watches. */
export async function anOperatedDaemon(
  at: Partial<Pick<OperatedDaemon, 'explorer' | 'folder'>> &
    Pick<AppChange, 'clock'> & { readonly config?: (text: string) => string } = {},
): Promise<OperatedDaemon> {
  await using opened = new AsyncDisposableStack();
  const explorer = at.explorer ?? opened.use(await serveBalances());
  const { config = (text: string): string => text } = at;
  const files = (): Folder => createFolder({ 'config.yaml': config(configOf(explorer)), 'rules.yaml': RULES });
  const folder = at.folder ?? opened.use(files());
  const told: string[] = [];
  const print = async (line: string): Promise<void> => void told.push(line);
  const { clock } = at;
  const running = opened.use(
    await runApp(folder, { env: { ALICE: OPERATOR_TOKEN }, print, ...(clock === undefined ? {} : { clock }) }),
  );
  // After a restart they are polled at their next time.
  if (at.folder === undefined) await running.polls.reached(WATCHES);
  const all = opened.move();
  return { explorer, folder, running, told, [Symbol.asyncDispose]: () => all.disposeAsync() };
}

/** The balances fall, and every `low` fires. */
export async function fallLow({ explorer, running }: OperatedDaemon): Promise<void> {
  explorer.balance = '0';
  const { length } = running.polls.all;
  await running.clock.advance(60_000);
  await running.polls.reached(length + WATCHES);
}

export async function storedBy({
  folder,
  running,
}: OperatedDaemon): Promise<StoredPolicy & { readonly open: readonly OpenAlertRow[] }> {
  await using reader = await openReader(stateOf(folder, 'state.db'));
  const now = running.clock.now();
  return { ...(await reader.policy(now)), open: await reader.openAlerts({ at: now }) };
}
