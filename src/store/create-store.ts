// Implements `Store` over a database with the newest schema, for either engine.
import type { HealthSummary } from '../core/model/quality/health-summary.ts';
import { triedLine } from '../core/journal/tried.ts';
import type { Step } from '../lib/failpoint.ts';
import type { Log } from '../telemetry/log.ts';
import type { Cluster } from './contract/cluster.ts';
import { commitAll } from './commits.ts';
import type { CommitResult, Fence } from './contract/fence.ts';
import { announce, operate } from './operate.ts';
import { markedBefore, readFirstTry, wholeDelivery } from './large-deliveries.ts';
import { linkSecrets } from './link-secrets.ts';
import type { Claimed } from './contract/deliveries.ts';
import * as rounds from './rounds.ts';
import { dispatchedAt, goneTargets, nextRound, readCalls, readDue, readMembers, readRouting } from './rounds.ts';
import { prune } from './prune.ts';
import { orSuperseded, type SqlDatabase } from './sql/database.ts';
import { bound, type Sql } from './sql/sql.ts';
import type { Moved, Store } from './contract/store.ts';
import { held } from './tables/alerts/alert-lists.ts';
import { acksToPass, keepMirrored, mirrored, oldEvents } from './tables/alerts/mirrored.ts';
import { addDetails, newestNotification } from './tables/alerts/notifications.ts';
import { readActive } from './tables/alerts/recipient-states.ts';
import {
  addRun,
  claimDeliveries,
  expire,
  keepRecipients,
  namingChannels,
  nextDue,
  refusing,
  unclaim,
} from './tables/deliveries/deliveries.ts';
import { FIRST_KEY } from './tables/deliveries/delivery-members.ts';
import { settleDelivery } from './tables/deliveries/settled-deliveries.ts';
import { append, chain, countJournal, hasUnchained } from './tables/journal/journal.ts';
import { chainBlocks, keepChainBlocks } from './tables/memory/chain-blocks.ts';
import { writeFact } from './tables/memory/facts.ts';
import { endPass, isPassEnded } from './tables/operators/ended-passes.ts';
import { keepPlans, plans } from './tables/memory/plans.ts';
import { covered, forget, keepCoverage, remembered } from './tables/memory/memory.ts';
import { MEMORY_FORMAT } from './tables/memory/stored-memory.ts';
import { answerTo, changesSince } from './tables/operators/requests.ts';
import { announceable } from './tables/operators/silences.ts';
import { createView, type OwnView } from './view.ts';

/** The parts of a store that each engine implements itself. */
export interface StoreOwn {
  readonly cluster: Cluster;
  readonly view: OwnView;
  /** True if the process with this fence holds its shard until the end of the transaction. */
  readonly holds: (sql: Sql, fence: Fence) => Promise<boolean>;
  readonly keepHealth: (sql: Sql, health: HealthSummary) => Promise<void>;
  readonly secure: () => Promise<readonly Moved[]>;
  /** Called after the last write; also closes the database. Safe to call twice. */
  readonly close: () => PromiseLike<void>;
  readonly log?: Log;
}

export function createStore(database: SqlDatabase, own: StoreOwn): Store {
  const tools = { database, own, ...fencedWrites(database, own) };
  const reader = createView(database.view, own.view);
  return {
    ...createView(database, own.view),
    ...readsOf(database),
    ...memoryWrites(tools),
    ...roundWrites(tools),
    ...outboxWrites(tools),
    ...operatorWrites(tools),
    ...journalWrites(tools),
    ...housekeeping(tools),
    reader: () => Promise.resolve(reader),
    cluster: own.cluster,
    [Symbol.asyncDispose]: own.close,
  };
}

/** Reads that only the loops of the daemon use. */
function readsOf({ sql, snapshot }: SqlDatabase) {
  const single = <T>(work: (on: Sql) => Promise<T>): Promise<T> => work(sql);
  return {
    ...bound(single, { remembered, covered, chainBlocks, plans }),
    ...bound(snapshot, { readRouting, readDue, readMembers, readCalls, readActive }),
    ...bound(single, {
      dispatchedAt,
      goneTargets,
      nextRound,
      held,
      refusing,
      namingChannels,
      nextDue,
      mirrored,
      acksToPass,
      oldEvents,
    }),
    ...bound(single, { answerTo, announceable, linkSecrets, isPassEnded, countJournal }),
    newsSince: async (since) => ({ newest: await newestNotification(sql), changes: await changesSince(sql, since) }),
  } satisfies Partial<Store>;
}

interface FencedWrites {
  /** `fenced`: nothing is written, since another process has taken over. */
  readonly writeUnder: (step: Step, fence: Fence, work: (sql: Sql) => Promise<void>) => Promise<'kept' | 'fenced'>;
  /** `superseded`: nothing is written either, since data that the round depends on has changed. */
  readonly writeRound: (step: Step, fence: Fence, work: (sql: Sql) => Promise<void>) => Promise<CommitResult>;
}

interface StoreTools extends FencedWrites {
  readonly database: SqlDatabase;
  readonly own: StoreOwn;
}

function fencedWrites({ write }: SqlDatabase, { holds }: StoreOwn): FencedWrites {
  const writeUnder: FencedWrites['writeUnder'] = (step, fence, work) =>
    write(step, async (sql) => {
      if (!(await holds(sql, fence))) return 'fenced';
      await work(sql);
      return 'kept';
    });
  return { writeUnder, writeRound: (step, fence, work) => orSuperseded(writeUnder(step, fence, work)) };
}

function memoryWrites({ database: { write }, own, writeUnder }: StoreTools) {
  return {
    commit: (decisions, at, fence) =>
      write('commit', async (on) =>
        (await own.holds(on, fence))
          ? commitAll(on, decisions, at, formatIn(own.cluster))
          : decisions.map((): CommitResult => 'fenced'),
      ),
    addDetails: (messages, fence) => writeUnder('add-details', fence, (on) => addDetails(on, messages)),
    cover: (coverage, fence) => writeUnder('cover', fence, (on) => keepCoverage(on, coverage)),
    async forget(ids) {
      await write('forget', (on) => forget(on, ids));
    },
    keepChainBlocks: (explorer, blocks, kept, fence) =>
      writeUnder('keep-chain-blocks', fence, (on) => keepChainBlocks(on, explorer, blocks, kept)),
    keepPlans: (kept, at, fence) => writeUnder('cover', fence, (on) => keepPlans(on, kept, at)),
    keepMirrored: (channel, accepted, fence) =>
      writeUnder('keep-mirrored', fence, (on) => keepMirrored(on, channel, accepted)),
  } satisfies Partial<Store>;
}

/** A process without replicas writes the newest format that it reads. */
function formatIn(cluster: Cluster): number {
  return cluster.isShared ? cluster.memoryFormat() : MEMORY_FORMAT;
}

function roundWrites({ writeUnder, writeRound }: StoreTools) {
  return {
    commitRouting: (round, result, at, fence) =>
      writeRound('commit-routing', fence, (on) => rounds.commitRouting(on, round, result, at)),
    commitDue: (round, decision, at, fence) =>
      writeRound('commit-due', fence, (on) => rounds.commitDue(on, round, decision, at)),
    commitCalls: (round, result, at, fence) =>
      writeRound('commit-calls', fence, (on) => rounds.commitCalls(on, round, result, at)),
    commitReroute: (result, at, fence) =>
      writeRound('commit-reroute', fence, (on) => rounds.commitReroute(on, result, at)),
    keepGone: (gone, left, at, fence) => writeUnder('keep-gone', fence, (on) => rounds.keepGone(on, gone, left, at)),
    keepDispatched: (at, fence) => writeUnder('move-clock', fence, (on) => rounds.keepDispatched(on, at)),
    moveClock: (jump, fence) => writeUnder('move-clock', fence, (on) => rounds.moveClock(on, jump)),
  } satisfies Partial<Store>;
}

function outboxWrites({ database, own: { holds, log }, writeUnder }: StoreTools) {
  const { sql, write } = database;
  const damaged = (error: unknown): void => log?.error('delivery:damaged', { error: String(error) });
  return {
    async claim(claim, fence) {
      const taken = await write('claim', async (on) =>
        (await holds(on, fence)) ? claimDeliveries(on, claim, damaged) : [],
      );
      const claimed: Claimed[] = [];
      for (const one of taken) claimed.push(await wholeDelivery(sql, one));
      return claimed;
    },
    unclaim: (lost, fence) => write('claim', async (on) => ((await holds(on, fence)) ? unclaim(on, lost) : 0)),
    ran: (channel, ms) => write('ran', (on) => addRun(on, channel, ms)),
    keepRecipients: (channel, recipients, fence) =>
      writeUnder('keep-recipients', fence, (on) => keepRecipients(on, channel, recipients)),
    async settle(tried, settlement, at) {
      const marked = settlement.state === 'sent' ? await markedBefore(database, tried, settlement, at) : FIRST_KEY;
      return write('settle', async (on) => {
        if (!(await settleDelivery(on, tried, settlement, at, marked))) return 'superseded';
        const isNamed = settlement.state !== 'due' || settlement.isOutOfTurn !== true;
        if (isNamed) await append(on, [triedLine(tried, settlement, at)]);
        return 'settled';
      });
    },
    expire: (channel, at, held, waits) =>
      write('expire', (on) => expire(on, { channel, held, all: false, failing: [], ...waits }, at)),
    readFirstTry: (id, query) => readFirstTry(database, id, query),
    putBack: (tried, held, at) => orSuperseded(write('settle', (on) => rounds.putBackHeld(on, tried, held, at))),
  } satisfies Partial<Store>;
}

function operatorWrites({ database: { write }, writeUnder }: StoreTools) {
  return {
    operate: (work) => write('intervene', (on) => operate(on, work)),
    announce: (id, transitions, at, fence) => writeUnder('announce', fence, (on) => announce(on, id, transitions, at)),
    endPass: (nonce, until, at) => write('intervene', (on) => endPass(on, nonce, until, at)),
  } satisfies Partial<Store>;
}

function journalWrites({ database: { sql, write }, writeUnder }: StoreTools) {
  return {
    record: (entries) => write('record', (on) => append(on, entries)),
    async chainJournal(limit, fence) {
      if (!(await hasUnchained(sql))) return false;
      const end = await writeUnder('chain-journal', fence, (on) => chain(on, limit));
      return end === 'kept' && (await hasUnchained(sql));
    },
  } satisfies Partial<Store>;
}

function housekeeping({ database: { write, setMaxBytes }, own }: StoreTools) {
  return {
    setMaxBytes,
    keepRunning: (outline) => write('keep-running', (on) => writeFact(on, 'running', outline)),
    probe: (at) => write('probe', (on) => writeFact(on, 'probe', at)),
    keepHealth: (health) => write('keep-health', (on) => own.keepHealth(on, health)),
    secure: own.secure,
    prune: (before, at) => write('prune', (on) => prune(on, before, at)),
  } satisfies Partial<Store>;
}
