// A state file as a daemon leaves it behind: real rules, the real poller and the real store, over an explorer that
// shows one balance; and commands that are run in this process beside it.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadSetup } from '../../../src/app/setup/setup.ts';
import type { Terminal } from '../../../src/cli/terminal.ts';
import { formatProblems } from '../../../src/config/problem.ts';
import type { Head } from '../../../src/core/model/observation.ts';
import { Missed, type Read } from '../../../src/core/model/watch/question.ts';
import { createPoller } from '../../../src/engine/polling/poller.ts';
import { AddressDetails } from '../../../src/explorer/reading/resources/address.ts';
import { outlineOf } from '../../../src/plan/outline.ts';
import { openSqliteStore } from '../../../src/store/sqlite/open.ts';
import { adopt } from '../engine/adopt.ts';
import { run, type Ran } from '../cli.ts';
import { createFolder, type Folder } from '../daemon.ts';
import { createFakeClock, type FakeClock } from '../fake-clock.ts';
import { createRecordingLog } from '../recording-log.ts';
import { takeAll } from '../world.ts';
import { ownershipOf } from './fences.ts';

export const CONFIG = `
explorers: { chain: { form: instance, instance_url: 'https://explorer.invalid' } }
addresses: { treasury: '0x${'11'.repeat(20)}', vault: '0x${'22'.repeat(20)}', both: [treasury, vault] }
channels: { screen: { type: log }, night: { type: log } }
self: [screen]
state: { file: state.db }
rules: [rules.yaml]
`;

export interface PreparedState extends Disposable {
  readonly folder: Folder;
  readonly clock: FakeClock;
  readonly config: string;
  readonly stateFile: string;
  /** A daemon lives for these polls, a minute apart: a balance in coins, `missed`, or `renamed`. */
  polls(...balances: readonly string[]): Promise<void>;
  /** The chain's head from now on. */
  head: Head | null;
  run(...argv: readonly string[]): Promise<Ran>;
  runWith(change: Partial<Terminal>, ...argv: readonly string[]): Promise<Ran>;
}

export function prepareState(rules: string, config = CONFIG): PreparedState {
  const folder = createFolder({ 'config.yaml': config, 'rules.yaml': rules });
  const clock = createFakeClock();
  const file = join(folder.path, 'config.yaml');
  const left: PreparedState = {
    folder,
    clock,
    config: file,
    stateFile: join(folder.path, 'state.db'),
    head: null,
    async polls(...balances) {
      const setup = setupOf(file);
      await using store = await openSqliteStore({ file: left.stateFile });
      const shown = { balance: '' };
      const poller = createPoller({
        store,
        ownership: ownershipOf(store),
        clock,
        log: createRecordingLog(),
        readerOf: () => ({
          tickReader: () => readerOf(shown),
          head: () => left.head,
          blocks: () => null,
          blocksFrom: () => Promise.reject(new Error('not asked for')),
        }),
        onForks: () => undefined,
        onIdentity: () => undefined,
        onPolled: () => undefined,
        onRecalled: () => undefined,
        onDamaged: () => undefined,
        onSkipped: () => undefined,
        onTransitions: () => undefined,
      });
      await adopt(poller, setup.watches);
      await store.keepRunning(outlineOf(setup));
      for (const balance of balances) {
        await clock.advance(60_000);
        shown.balance = balance;
        await poller.poll(setup.watches, new AbortController().signal);
        for (const channel of setup.config.channels.keys()) await takeAll(store, clock, channel);
      }
      await poller.flush();
    },
    run: (...argv) => left.runWith({}, ...argv),
    runWith: (change, ...argv) =>
      run(argv, {
        env: {},
        clock,
        writeFile: (path) => {
          throw new Error(`writes ${path}`);
        },
        ...change,
      }),
    [Symbol.dispose]() {
      folder[Symbol.dispose]();
    },
  };
  return left;
}

function setupOf(file: string) {
  const { setup, problems } = loadSetup(file, { env: {}, readFile: (path) => readFileSync(path, 'utf8') });
  if (setup === null) throw new Error(formatProblems(problems));
  return setup;
}

function readerOf(shown: { readonly balance: string }): Read {
  return {
    async one() {
      if (shown.balance === 'missed') throw new Missed('timeout', 'no answer within 30 s');
      const coins = shown.balance === 'renamed' ? {} : { coin_balance: `${shown.balance}${'0'.repeat(18)}` };
      return AddressDetails.read({ is_contract: false, ...coins }, { coin: 18 }) as never;
    },
    page: () => Promise.reject(new Error('not asked for')),
    pageAgain: () => Promise.reject(new Error('not asked for')),
  };
}
