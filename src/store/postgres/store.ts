// The state in one PostgreSQL database, which several replicas may work on. Writes of a shard are fenced.
import { journalOf } from '../../core/journal/decided.ts';
import { triedLine } from '../../core/journal/tried.ts';
import type { Decision } from '../../core/model/decision.ts';
import type { Instant } from '../../lib/clock.ts';
import type { Step } from '../../lib/failpoint.ts';
import type { Log } from '../../telemetry/log.ts';
import { KEPT_LONGER_MS } from '../changes.ts';
import { dueLines } from '../rows/due-lines.ts';
import type { Cluster } from '../cluster.ts';
import type { CommitResult, Fence } from '../fence.ts';
import { MOST_DROPPED } from '../rows/journal-rows.ts';
import { routingLines } from '../rows/routing-lines.ts';
import type { Store } from '../store.ts';
import { chainBlocks, keepChainBlocks } from './chain-table.ts';
import type { Database } from './database.ts';
import { pruneAlerts } from './dispatch/alerts-table.ts';
import {
  addRun,
  claimDeliveries,
  expire,
  nextDue,
  pruneDeliveries,
  settleDelivery,
} from './deliveries/deliveries-table.ts';
import { pruneGroups, readMembers } from './dispatch/groups-table.ts';
import { acksToPass, keepMirrored, mirrored, pruneMirrored } from './dispatch/mirror-table.ts';
import { addNotifications, newestNotification, pruneNotifications } from './dispatch/notifications-table.ts';
import * as rounds from './dispatch/rounds.ts';
import { activeStates, heldCounts, pruneStates } from './dispatch/states-table.ts';
import { keepTroubles, readFact, writeFact } from './facts.ts';
import { append, chain, countLines, hasUnchained, pruneJournal } from './journal-table.ts';
import { isHeld } from './cluster.ts';
import { covered, forget, keepCoverage, keepMemories, remembered, versionsOf } from './memory-table.ts';
import { pruneAcks } from './operators/acks-table.ts';
import { announce, answerTo, changesSince, intervene } from './operators/interventions.ts';
import { announceable, pruneSilences } from './operators/silences-table.ts';
import { createPostgresView } from './reader.ts';
import { keepSamples, noteData, noteFirst, pruneSamples } from './samples-table.ts';
import { linkSecretsIn } from '../link-secrets.ts';
import type { Sql } from './sql.ts';

export interface PostgresTools {
  readonly cluster: Cluster;
  /** Of this process. */
  readonly id: string;
  readonly leaseMs: number;
  readonly log?: Log;
  /** Looks whether this process still holds it. Rejects with a StoreBusyError when another one does. */
  readonly secure: () => Promise<void>;
  /** After the last write. */
  readonly release: () => Promise<void>;
}

/** The promise of `Store` over tables of the newest schema. */
export function createPostgresStore(
  database: Database,
  { cluster, id, leaseMs, log, secure, release }: PostgresTools,
): Store {
  const { sql, snapshot, write, writeUnsynced, close } = database;
  const view = createPostgresView(database);

  function writeUnder(step: Step, held: Fence, work: (on: Sql) => Promise<void>): Promise<'kept' | 'fenced'> {
    return write(step, async (on) => {
      if (!(await isHeld(on, held, leaseMs))) return 'fenced';
      await work(on);
      return 'kept';
    });
  }

  /** A crash of the server may take a round back. Then it is decided once more, and makes the same deliveries. */
  function writeRound(step: Step, held: Fence, work: (on: Sql) => Promise<CommitResult>): Promise<CommitResult> {
    return writeUnsynced(step, async (on) => ((await isHeld(on, held, leaseMs)) ? work(on) : 'fenced'));
  }

  const damaged = (error: unknown): void => log?.error('delivery:damaged', { error: String(error) });

  return {
    ...view,
    reader: async () => view,
    cluster,
    linkSecrets: async () => linkSecretsIn(await readFact(sql, 'links')),
    // The server has limits of its own.
    setMaxBytes: () => undefined,
    remembered: () => remembered(sql),
    covered: () => covered(sql),
    commit: (decisions, at, held) =>
      write('commit', async (on) =>
        (await isHeld(on, held, leaseMs)) ? commitAll(on, decisions, at) : decisions.map((): CommitResult => 'fenced'),
      ),
    cover: (coverage, held) => writeUnder('cover', held, (on) => keepCoverage(on, coverage)),
    forget: async (ids) => {
      await write('forget', (on) => forget(on, ids));
    },
    chainBlocks: (explorers) => chainBlocks(sql, explorers),
    keepChainBlocks: (explorer, blocks, kept, held) =>
      writeUnder('keep-chain-blocks', held, (on) => keepChainBlocks(on, explorer, blocks, kept)),
    readRouting: (limit) => snapshot((on) => rounds.readRouting(on, limit)),
    commitRouting: (round, result, at, held) =>
      writeRound('commit-routing', held, async (on) => {
        const end = await rounds.commitRouting(on, round, result, at);
        if (end === 'kept') await append(on, routingLines(round, result, at));
        return end;
      }),
    readDue: (query) => snapshot((on) => rounds.readDue(on, query)),
    readMembers: (groups, limit) => snapshot((on) => readMembers(on, groups, limit)),
    commitDue: (round, decision, at, held) =>
      writeRound('commit-due', held, async (on) => {
        const end = await rounds.commitDue(on, round, decision, at);
        if (end === 'kept') await append(on, dueLines(round, decision, at));
        return end;
      }),
    readCalls: (at, limit, uncounted) => snapshot((on) => rounds.readCalls(on, at, limit, uncounted)),
    commitCalls: (round, result, at, held) =>
      writeRound('commit-calls', held, (on) => rounds.commitCalls(on, round, result, at)),
    readActive: (after, limit) => activeStates(sql, after, limit),
    commitReroute: (rerouted, at, held) =>
      writeUnder('commit-reroute', held, (on) => rounds.commitReroute(on, rerouted, at)),
    moveClock: (jump, held) => writeUnder('move-clock', held, (on) => rounds.moveClock(on, jump)),
    nextRound: () => rounds.nextRound(sql),
    held: () => heldCounts(sql),
    // Waits for the disk: were it taken back by a crash of the server, the next try would not know that it may be a copy.
    claim: (claim, held) =>
      write('claim', async (on) => ((await isHeld(on, held, leaseMs)) ? claimDeliveries(on, claim, damaged) : [])),
    ran: (channel, ms) => writeUnsynced('ran', (on) => addRun(on, channel, ms)),
    settle: (tried, settlement, at) =>
      write('settle', async (on) => {
        if (!(await settleDelivery(on, tried, settlement, at))) return 'superseded';
        await append(on, [triedLine(tried, settlement, at)]);
        return 'settled';
      }),
    expire: (channel, at, held) => write('expire', (on) => expire(on, channel, at, held)),
    nextDue: (share) => nextDue(sql, share),
    mirrored: (channel, since) => mirrored(sql, channel, since),
    acksToPass: (channel, at) => acksToPass(sql, channel, at),
    keepMirrored: (channel, accepted, held) =>
      writeUnder('keep-mirrored', held, (on) => keepMirrored(on, channel, accepted)),
    answerTo: (request) => answerTo(sql, request),
    newsSince: async (since) => ({ newest: await newestNotification(sql), changes: await changesSince(sql, since) }),
    intervene: (change, request, act) => write('intervene', (on) => intervene(on, change, request, act)),
    announceable: (at) => announceable(sql, at),
    announce: (id, transitions, at, held) => writeUnder('announce', held, (on) => announce(on, id, transitions, at)),
    record: (entries) => write('record', (on) => append(on, entries)),
    async chainJournal(limit, held) {
      if (!(await hasUnchained(sql))) return false;
      const end = await writeUnder('chain-journal', held, (on) => chain(on, limit));
      return end === 'kept' && (await hasUnchained(sql));
    },
    countJournal: (after) => countLines(sql, after),
    keepRunning: (outline) => write('keep-running', (on) => writeFact(on, 'running', outline)),
    keepTroubles: (lines) => write('keep-troubles', (on) => keepTroubles(on, id, lines)),
    probe: (at) => write('probe', (on) => writeFact(on, 'probe', at)),
    async secure() {
      await secure();
      return [];
    },
    prune: (before, at) =>
      write('prune', async (on) => {
        await pruneSilences(on, before.settled - KEPT_LONGER_MS);
        await pruneAcks(on, before.settled - KEPT_LONGER_MS);
        await pruneDeliveries(on, before.settled);
        await pruneNotifications(on, before.settled);
        await pruneStates(on, before.alerts);
        await pruneAlerts(on, before.alerts);
        await pruneGroups(on, before.alerts);
        await pruneMirrored(on, before.settled);
        await pruneSamples(on, before.journal);
        await pruneJournal(on, before.journal, at, MOST_DROPPED);
      }),
    async [Symbol.asyncDispose]() {
      try {
        await release();
      } finally {
        await close();
      }
    },
  };
}

/** Those of one watch after one another. */
async function commitAll(sql: Sql, decisions: readonly Decision[], at: Instant): Promise<CommitResult[]> {
  const ends = new Map<Decision, CommitResult>();
  for (const wave of wavesOf(decisions))
    for (const [decision, end] of await commitWave(sql, wave, at)) ends.set(decision, end);
  return decisions.map((decision) => ends.get(decision) ?? 'superseded');
}

/** In each, no two of one watch. */
function wavesOf(decisions: readonly Decision[]): Decision[][] {
  const ofWatch = [...Map.groupBy(decisions, ({ watchId }) => watchId).values()];
  const longest = Math.max(0, ...ofWatch.map(({ length }) => length));
  return Array.from({ length: longest }, (_, turn) => ofWatch.flatMap((some) => some.slice(turn, turn + 1)));
}

async function commitWave(sql: Sql, wave: readonly Decision[], at: Instant): Promise<Map<Decision, CommitResult>> {
  const learned = wave.filter(({ hasChanged, transitions }) => hasChanged || transitions.length > 0);
  const isLearned = new Set(learned);
  const quiet = wave.filter((decision) => !isLearned.has(decision));
  const versions = await versionsOf(
    sql,
    quiet.map(({ watchId }) => watchId),
  );
  const renewed = await keepMemories(sql, learned);
  const kept = learned.filter(({ watchId }) => renewed.has(watchId));
  await keepBeside(sql, kept, at);
  const isKept = (decision: Decision): boolean =>
    isLearned.has(decision)
      ? renewed.has(decision.watchId)
      : (versions.get(decision.watchId) ?? 0) === decision.expects;
  return new Map(wave.map((decision) => [decision, isKept(decision) ? 'kept' : 'superseded']));
}

/** What is written with memories that were kept. */
async function keepBeside(sql: Sql, kept: readonly Decision[], at: Instant): Promise<void> {
  if (kept.length === 0) return;
  await keepCoverage(sql, new Map(kept.map(({ watchId, memory }) => [watchId, { until: memory.coveredUntil }])));
  await keepSamples(sql, kept);
  await noteFirst(sql, kept, at);
  await noteData(sql, kept, at);
  const told = kept.map(({ watchId, transitions }) => ({ watch: watchId, transitions }));
  await addNotifications(sql, told, at);
  await append(
    sql,
    kept.flatMap((decision) => journalOf(decision, at)),
  );
}
