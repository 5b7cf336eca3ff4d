// A replica: a sandbox explorer that lives through a list of commands, up to the moment it is asked about.
import type { ApiAnswer } from '../../../src/sandbox/api.ts';
import { ADDRESSES, CHAIN_ID, CONTRACTS, TOKENS } from '../../../src/sandbox/names.ts';
import { ControlProblem } from '../../../src/sandbox/problem.ts';
import { parseRoute } from '../../../src/sandbox/routes.ts';
import { createSandbox, type Sandbox } from '../../../src/sandbox/sandbox.ts';
import {
  BLOCK_MS,
  EVENTS,
  inOrder,
  isPlace,
  type Change,
  type Command,
  type Party,
  type Place,
  type TokenName,
} from '../commands.ts';
import type { Instant } from '../model.ts';
import { hexOf, RPC, VALUES } from './values.ts';

/** A transaction that was placed, or the call inside it. */
export interface Placed {
  readonly hash: string;
  /** Of a call. */
  readonly index: number | null;
  /** Where it was placed, or will be mined; null while it waits without end. */
  readonly block: number | null;
}

export interface Replica {
  /** `target` begins behind `/api/v2/`, or is of another API. Never asked about a time before the last one. */
  readonly ask: (at: Instant, target: string, body?: string) => ApiAnswer;
  /** Does what is to be done up to that moment. */
  readonly advance: (at: Instant) => void;
  readonly head: () => number;
  /** Without those whose block had been emptied. */
  readonly placedById: ReadonlyMap<string, Placed>;
}

export const PAGE_SIZE = 8;
export const REQUESTS_PER_SECOND = 5;

export function createReplica(seed: number, given: readonly Command[], start: Instant): Replica {
  const clock = { now: start };
  const sandbox = createSandbox({
    seed,
    blockTimeMs: BLOCK_MS,
    quiet: true,
    mostChanges: Infinity,
    pageSize: PAGE_SIZE,
    limits: { requestsPerSecond: REQUESTS_PER_SECOND },
    clock: {
      now: () => clock.now,
      monotonic: () => clock.now,
      sleep: () => Promise.reject(new Error('a replica does not wait')),
    },
  });
  const commands = inOrder(given);
  const placedById = new Map<string, Placed>();
  let done = 0;

  function advance(at: Instant): void {
    for (let next = commands[done]; next !== undefined && next.at <= at; next = commands[done]) {
      done += 1;
      clock.now = next.at;
      if (!isPlace(next)) change(sandbox, next, placedById);
      else {
        const placed = place(sandbox, next);
        if (placed !== null) placedById.set(next.id, placed);
      }
    }
    clock.now = at;
  }

  return {
    advance,
    ask(at, target, body) {
      advance(at);
      const route = parseRoute(`/${CHAIN_ID}/${addressIn(target)}`);
      if (route === undefined) throw new Error(`no such address: ${target}`);
      const posted = body === undefined ? {} : { body };
      return sandbox.ask({ route, authorization: `Bearer ${sandbox.apiKey}`, showScam: true, ...posted });
    },
    head: () => sandbox.head(),
    placedById,
  };
}

function addressIn(target: string): string {
  if (target === RPC) return 'json-rpc';
  return target.startsWith('api?') ? target : `api/v2/${target}`;
}

const ADDRESS_BY_NAME = { ...ADDRESSES, ...CONTRACTS, ...TOKENS } as const;

export function addressOf(party: Party): string {
  return ADDRESS_BY_NAME[party];
}

export function contractOf(name: Party | TokenName): string {
  return ADDRESS_BY_NAME[name];
}

const COIN = 10n ** 18n;

function place(sandbox: Sandbox, command: Place): Placed | null {
  try {
    switch (command.do) {
      case 'call':
        return placeCall(sandbox, command);
      case 'transaction':
        return placeTransaction(sandbox, command);
      case 'event':
        return placeEvent(sandbox, command);
      case 'transfer':
        return placeTransfer(sandbox, command);
    }
  } catch (error) {
    if (!(error instanceof ControlProblem)) throw error;
    // The block was emptied by a reorganisation. A number is used up all the same, so that later hashes stay the same
    // on replicas that know nothing of the reorganisation.
    const { hash } = sandbox.addTransaction({ status: 'pending', minedAfter: null });
    sandbox.dropTransaction({ hash });
    return null;
  }
}

function placeCall(sandbox: Sandbox, command: Extract<Place, { do: 'call' }>): Placed {
  const { hash, index, block } = sandbox.failCall({ to: addressOf(command.to), reason: command.reason ?? 'none' });
  if (command.reason === null) sandbox.changeTransaction({ hash, reason: null });
  if (command.isHidden && block !== null) sandbox.hideTraces({ block });
  return { hash, index, block };
}

function placeTransaction(sandbox: Sandbox, command: Extract<Place, { do: 'transaction' }>): Placed {
  const { from, value, isFailed, waits, nonce } = command;
  const { hash, block } = sandbox.addTransaction({
    from: addressOf(from),
    to: CONTRACTS.market,
    value: BigInt(value) * COIN,
    status: waits === null ? (isFailed ? 'error' : 'ok') : 'pending',
    minedAfter: waits === 'for ever' ? null : (waits ?? 1),
    ...(nonce === null ? {} : { nonce }),
  });
  if (waits !== null && isFailed) sandbox.changeTransaction({ hash, reason: 'paused' });
  return { hash, index: null, block };
}

function placeEvent(sandbox: Sandbox, { of, event, args, times }: Extract<Place, { do: 'event' }>): Placed {
  const { hash, block } = sandbox.emit({ address: contractOf(of), event: EVENTS[event], args: [...args], times });
  return { hash, index: null, block };
}

function placeTransfer(sandbox: Sandbox, command: Extract<Place, { do: 'transfer' }>): Placed {
  const [from, to] = [addressOf(command.from), addressOf(command.to)];
  const { hash, block } = sandbox.transferToken({ token: command.token, from, to, value: command.value, moves: false });
  return { hash, index: null, block };
}

function change(sandbox: Sandbox, command: Change, placedById: ReadonlyMap<string, Placed>): void {
  switch (command.do) {
    case 'reveal': {
      const block = placedById.get(command.id)?.block ?? null;
      if (block !== null) sandbox.hideTraces({ block, hidden: false });
      return;
    }
    case 'drop':
      dropIfWaiting(sandbox, placedById.get(command.id));
      return;
    case 'end-otherwise': {
      const placed = placedById.get(command.id);
      if (placed !== undefined && placed.block !== null)
        sandbox.changeTransaction({ hash: placed.hash, reason: command.reason });
      return;
    }
    case 'reorganise':
      sandbox.reorganise({ blocks: command.blocks, transactions: command.isRemined ? 'remined' : 'dropped' });
      return;
    case 'freeze':
      sandbox.freeze();
      return;
    case 'unfreeze':
      sandbox.unfreeze();
      return;
    case 'coin':
      sandbox.setBalance({ address: 'treasury', value: BigInt(command.value) * COIN });
      return;
    case 'token':
      sandbox.setBalance({ address: 'treasury', token: command.token, value: command.value });
      return;
    case 'upgrade':
      sandbox.upgrade({ implementation: addressOf(command.to) });
      return;
    case 'value':
      setValue(sandbox, command);
      return;
    case 'reverts':
      revert(sandbox, command);
      return;
    case 'flag':
      sandbox.flagToken({ token: 'ACME', reputation: command.reputation });
  }
}

function setValue(sandbox: Sandbox, { of, to }: Extract<Change, { do: 'value' }>): void {
  const { at } = VALUES[of];
  const value = hexOf(to);
  if ('slot' in at) sandbox.setSlot({ slot: at.slot, value });
  else sandbox.setResult({ call: at.call, value });
}

function revert(sandbox: Sandbox, { of, isSo }: Extract<Change, { do: 'reverts' }>): void {
  const { at } = VALUES[of];
  if ('slot' in at) throw new Error(`${of} is no function`);
  sandbox.revertCall({ call: at.call, reverts: isSo });
}

function dropIfWaiting(sandbox: Sandbox, placed: Placed | undefined): void {
  if (placed === undefined || (placed.block !== null && placed.block <= sandbox.head())) return;
  sandbox.dropTransaction({ hash: placed.hash });
}
