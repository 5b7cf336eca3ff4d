// The promise of `Store` over a database with the newest schema, whichever engine has it.
import type { HealthSummary } from '../core/model/quality/health-summary.ts';
import { triedLine } from '../core/journal/tried.ts';
import type { Instant } from '../lib/clock.ts';
import type { Step } from '../lib/failpoint.ts';
import type { Log } from '../telemetry/log.ts';
import type { Cluster } from './contract/cluster.ts';
import { commitAll } from './commits.ts';
import type { CommitResult, Fence } from './contract/fence.ts';
import { announce, operate } from './operate.ts';
import { markedBefore, readFirstTry, wholeDelivery } from './large-deliveries.ts';
import { linkSecretsIn } from './link-secrets.ts';
import type { Claimed } from './contract/deliveries.ts';
import * as rounds from './rounds.ts';
import { orSuperseded, type SqlDatabase } from './sql/database.ts';
import type { Sql } from './sql/sql.ts';
import type { Ages, Moved, Store } from './contract/store.ts';
import { heldCounts } from './tables/alerts/alert-lists.ts';
import { pruneAlerts } from './tables/alerts/alerts.ts';
import { readMembers } from './tables/alerts/due-groups.ts';
import { pruneGroups } from './tables/alerts/groups.ts';
import { acksToPass, keepMirrored, mirrored, oldEvents, pruneMirrored } from './tables/alerts/mirrored.ts';
import { newestNotification, pruneNotifications } from './tables/alerts/notifications.ts';
import { activeAlerts, pruneStates } from './tables/alerts/recipient-states.ts';
import { addRun, claimDeliveries, expire, nextDue, pruneDeliveries, refusing } from './tables/deliveries/deliveries.ts';
import { FIRST_KEY } from './tables/deliveries/delivery-members.ts';
import { settleDelivery } from './tables/deliveries/settled-deliveries.ts';
import { append, chain, countLines, hasUnchained, MOST_DROPPED, pruneJournal } from './tables/journal/journal.ts';
import { chainBlocks, keepChainBlocks } from './tables/memory/chain-blocks.ts';
import { covered, keepCoverage } from './tables/memory/coverage.ts';
import { readFact, writeFact } from './tables/memory/facts.ts';
import { endPass, isPassEnded } from './tables/operators/ended-passes.ts';
import { forget, remembered } from './tables/memory/memory.ts';
import { pruneSamples } from './tables/memory/samples.ts';
import { pruneAcks } from './tables/operators/acks.ts';
import { answerTo, changesSince } from './tables/operators/requests.ts';
import { announceable, pruneSilences } from './tables/operators/silences.ts';
import { createView, type OwnView } from './view.ts';

/** What each engine has of its own. */
export interface StoreOwn {
  readonly cluster: Cluster;
  readonly view: OwnView;
  /** In a transaction: whether the process that has this fence still holds what it proves, until the end of it. */
  readonly holds: (sql: Sql, fence: Fence) => Promise<boolean>;
  readonly keepHealth: (sql: Sql, health: HealthSummary) => Promise<void>;
  readonly secure: () => Promise<readonly Moved[]>;
  /** After the last write; closes the database as well. Safe to call twice. */
  readonly close: () => Promise<void>;
  readonly log?: Log;
}

export function createStore(database: SqlDatabase, own: StoreOwn): Store {
  const tools = { database, own, ...fencedWrites(database, own) };
  const reader = createView(database.view, own.view);
  return {
    ...createView(database, own.view),
    ...memoryWrites(tools),
    ...dispatchStore(tools),
    ...outboxStore(tools),
    ...mirrorStore(tools),
    ...operatorWrites(tools),
    ...journalWrites(tools),
    ...housekeeping(tools),
    reader: () => Promise.resolve(reader),
    cluster: own.cluster,
    [Symbol.asyncDispose]: own.close,
  };
}

interface FencedWrites {
  /** `fenced`: nothing is written, since another process has taken over. */
  readonly writeUnder: (step: Step, fence: Fence, work: (sql: Sql) => Promise<void>) => Promise<'kept' | 'fenced'>;
  /** `superseded`: nothing is written either. */
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

function memoryWrites({ database: { sql, write }, own, writeUnder }: StoreTools) {
  return {
    remembered: () => remembered(sql),
    covered: () => covered(sql),
    commit: (decisions, at, fence) =>
      write('commit', async (on) =>
        (await own.holds(on, fence)) ? commitAll(on, decisions, at) : decisions.map((): CommitResult => 'fenced'),
      ),
    cover: (coverage, fence) => writeUnder('cover', fence, (on) => keepCoverage(on, coverage)),
    async forget(ids) {
      await write('forget', (on) => forget(on, ids));
    },
    chainBlocks: (explorers) => chainBlocks(sql, explorers),
    keepChainBlocks: (explorer, blocks, kept, fence) =>
      writeUnder('keep-chain-blocks', fence, (on) => keepChainBlocks(on, explorer, blocks, kept)),
  } satisfies Partial<Store>;
}

function dispatchStore({ database: { sql, snapshot }, writeUnder, writeRound }: StoreTools) {
  return {
    readRouting: (limit) => snapshot((on) => rounds.readRouting(on, limit)),
    commitRouting: (round, result, at, fence) =>
      writeRound('commit-routing', fence, (on) => rounds.commitRouting(on, round, result, at)),
    readDue: (query) => snapshot((on) => rounds.readDue(on, query)),
    readMembers: (groups, limit) => snapshot((on) => readMembers(on, groups, limit)),
    commitDue: (round, decision, at, fence) =>
      writeRound('commit-due', fence, (on) => rounds.commitDue(on, round, decision, at)),
    readCalls: (at, limit, uncounted) => snapshot((on) => rounds.readCalls(on, at, limit, uncounted)),
    commitCalls: (round, result, at, fence) =>
      writeRound('commit-calls', fence, (on) => rounds.commitCalls(on, round, result, at)),
    readActive: (page) => snapshot((on) => activeAlerts(on, page)),
    commitReroute: (result, at, fence) =>
      writeRound('commit-reroute', fence, (on) => rounds.commitReroute(on, result, at)),
    goneTargets: () => rounds.goneTargets(sql),
    keepGone: (gone, left, at, fence) => writeUnder('keep-gone', fence, (on) => rounds.keepGone(on, gone, left, at)),
    moveClock: (jump, fence) => writeUnder('move-clock', fence, (on) => rounds.moveClock(on, jump)),
    nextRound: () => rounds.nextRound(sql),
    held: () => heldCounts(sql),
  } satisfies Partial<Store>;
}

function outboxStore({ database, own: { holds, log } }: StoreTools) {
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
    ran: (channel, ms) => write('ran', (on) => addRun(on, channel, ms)),
    async settle(tried, settlement, at) {
      const marked = settlement.state === 'sent' ? await markedBefore(database, tried, settlement, at) : FIRST_KEY;
      return write('settle', async (on) => {
        if (!(await settleDelivery(on, tried, settlement, at, marked))) return 'superseded';
        const isNamed = settlement.state !== 'due' || settlement.isOutOfTurn !== true;
        if (isNamed) await append(on, [triedLine(tried, settlement, at)]);
        return 'settled';
      });
    },
    expire: (channel, at, held, all) => write('expire', (on) => expire(on, { channel, held, all: all ?? false }, at)),
    readFirstTry: (id, query) => readFirstTry(database, id, query),
    putBack: (tried, held, at) => orSuperseded(write('settle', (on) => rounds.putBackHeld(on, tried, held, at))),
    refusing: (channel) => refusing(sql, channel),
    nextDue: (share) => nextDue(sql, share),
  } satisfies Partial<Store>;
}

function mirrorStore({ database: { sql }, writeUnder }: StoreTools) {
  return {
    mirrored: (channel, since) => mirrored(sql, channel, since),
    acksToPass: (channel, at) => acksToPass(sql, channel, at),
    oldEvents: (channel, before, limit) => oldEvents(sql, channel, before, limit),
    keepMirrored: (channel, accepted, fence) =>
      writeUnder('keep-mirrored', fence, (on) => keepMirrored(on, channel, accepted)),
  } satisfies Partial<Store>;
}

function operatorWrites({ database: { sql, write }, writeUnder }: StoreTools) {
  return {
    answerTo: (request) => answerTo(sql, request),
    newsSince: async (since) => ({ newest: await newestNotification(sql), changes: await changesSince(sql, since) }),
    operate: (work) => write('intervene', (on) => operate(on, work)),
    announceable: (at) => announceable(sql, at),
    announce: (id, transitions, at, fence) => writeUnder('announce', fence, (on) => announce(on, id, transitions, at)),
    linkSecrets: async () => linkSecretsIn(await readFact(sql, 'links')),
    isPassEnded: (nonce, until) => isPassEnded(sql, nonce, until),
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
    countJournal: (after) => countLines(sql, after),
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

/** Rows of what operators did are kept for so much longer than messages. */
const KEPT_LONGER_MS = 60 * 86_400_000;

async function prune(sql: Sql, { settled, alerts, journal }: Ages, at: Instant): Promise<void> {
  await pruneSilences(sql, settled - KEPT_LONGER_MS);
  await pruneAcks(sql, settled - KEPT_LONGER_MS);
  await pruneDeliveries(sql, settled);
  await pruneNotifications(sql, settled);
  await pruneStates(sql, alerts);
  await pruneAlerts(sql, alerts);
  await pruneGroups(sql, alerts);
  await pruneMirrored(sql, settled);
  await pruneSamples(sql, journal);
  await pruneJournal(sql, at, { before: journal, limit: MOST_DROPPED });
}
