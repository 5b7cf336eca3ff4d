// One kind of fault: what it does, to whom, and beside which others it may be struck.
import type { Shard } from '../../../src/store/contract/fence.ts';
import type { PostgresServer } from '../../support/store/postgres-server.ts';
import type { ExplorerProcess } from '../explorer-process.ts';
import type { Noted } from '../judge.ts';
import type { Replica } from '../replica.ts';
import type { Sinks } from '../sinks.ts';

export interface Struck {
  readonly victim: Replica;
  readonly all: readonly Replica[];
  readonly postgres: PostgresServer;
  /** Of the database, past every line. */
  readonly url: string;
  readonly explorer: Pick<ExplorerProcess, 'bar'>;
  readonly sinks: Pick<Sinks, 'count' | 'refuse' | 'behave'>;
  readonly leaseMs: number;
  /** How long all have to run one config before anything is retired. */
  readonly agreedMs: number;
  /** Files of each replica, by name. */
  readonly files: Readonly<Record<string, string>>;
  /** The sources that replicas run. */
  readonly main: string;
  /** Of the sources of a release before, which computes another checksum of the same files. */
  readonly formerMain: string;
  /** A number from 0 to 999 of the seed, for what differs between two of a kind. */
  readonly roll: number;
  /** For the judge: what follows from the fault, and what was found wrong at once. */
  readonly noted: Noted;
}

/** What a fault is about. Two of one room are not struck over each other. */
export type Room = 'replica' | 'database' | 'config' | 'receiver' | 'explorer';

export interface Fault {
  readonly room: Room;
  /** Resolves when it is over. */
  readonly strike: (struck: Struck) => Promise<void>;
  /** Nobody can work meanwhile. */
  readonly isOfAll?: true;
  /** Struck is the holder of that shard. */
  readonly victim?: Shard;
  /** Nothing is promised of it: it is struck only where it is named. */
  readonly isUnpromised?: true;
}

/** Longer than a lease, so that others take over. */
export const beyond = (leaseMs: number): number => leaseMs + 2000;
