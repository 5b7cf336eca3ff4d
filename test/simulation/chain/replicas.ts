// The servers behind one name: most of the time the chain alone, at times others beside it or in its place.
import type { ApiAnswer } from '../../../src/sandbox/api.ts';
import { commandsAt, type Fork, type Script } from './script.ts';
import { createReplica, type Replica } from './chain.ts';
import { BLOCK_MS, inOrder, type Command } from '../commands.ts';
import type { Instant, ReplicaName } from '../model.ts';

interface Asked {
  readonly target: string;
  /** The body that is posted. */
  readonly body?: string | undefined;
}

export interface Replicas {
  readonly ask: (name: ReplicaName, at: Instant, asked: Asked, behind: number) => ApiAnswer;
  /** The fork that is under way. */
  readonly forkAt: (at: Instant) => Fork | null;
}

/** Another chain is younger: its head is three days behind. */
const OTHER_IS_BEHIND = 4320;

export function createReplicas(script: Script): Replicas {
  const known = new Map<ReplicaName, { readonly of: string; readonly replica: Replica; at: Instant }>();

  /** A replica does not go back in time, nor to another branch: then it is made anew. */
  function replicaOf(
    name: ReplicaName,
    of: string,
    at: Instant,
    seed: number,
    commands: () => readonly Command[],
  ): Replica {
    const found = known.get(name);
    if (found !== undefined && found.of === of && found.at <= at) {
      found.at = at;
      return found.replica;
    }
    const replica = createReplica(seed, commands(), script.start);
    known.set(name, { of, replica, at });
    return replica;
  }

  const forkAt = (at: Instant): Fork | null => script.forks.find(({ from, to }) => from <= at && at < to) ?? null;
  const branchAt = (at: Instant): string => String(script.forks.filter(({ wins, to }) => wins && to <= at).length);

  function seenBy(name: ReplicaName, now: Instant, behind: number): { replica: Replica; at: Instant } {
    const at = now - behind * BLOCK_MS;
    const { seed } = script;
    if (name === 'other-chain') return { replica: replicaOf(name, '', at, seed + 1, () => []), at };
    const fork = name === 'fork' ? forkAt(at) : null;
    if (fork === null) return { replica: replicaOf(name, branchAt(at), at, seed, () => commandsAt(script, at)), at };
    const commands = (): readonly Command[] => inOrder([...commandsAt(script, fork.from), ...fork.commands]);
    return { replica: replicaOf(name, `fork ${fork.from}`, at, seed, commands), at };
  }

  return {
    forkAt,
    ask(name, now, { target, body }, behind) {
      const { replica, at } = seenBy(name, now, name === 'other-chain' ? OTHER_IS_BEHIND : behind);
      return replica.ask(at, target, body);
    },
  };
}
