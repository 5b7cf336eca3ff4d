// The state in one SQLite file, with one connection that writes. The file is a single shard: who holds it holds all.
import type { DatabaseSync } from 'node:sqlite';
import { journalOf } from '../../core/journal/decided.ts';
import { triedLine } from '../../core/journal/tried.ts';
import type { Decision } from '../../core/model/decision.ts';
import { systemClock, type Instant } from '../../lib/clock.ts';
import type { Step } from '../../lib/failpoint.ts';
import type { Log } from '../../telemetry/log.ts';
import type { CommitResult, Fence } from '../fence.ts';
import type { Store, StoreReader } from '../store.ts';
import { createAccess } from './access.ts';
import { answering, inStep } from './database.ts';
import { linkSecretsAfterStart, linkSecretsIn } from '../link-secrets.ts';
import type { Facts } from './facts.ts';
import { MOST_DROPPED } from '../rows/journal-rows.ts';
import type { HandedOut } from './deliveries/deliveries-table.ts';
import { createLargeDeliveries, FIRST_PAGE } from './deliveries/large-deliveries.ts';
import { dueLines } from '../rows/due-lines.ts';
import { routingLines } from '../rows/routing-lines.ts';
import { createCheckpoints } from './files/checkpoints.ts';
import type { Place } from './files/place.ts';
import { createSqliteReader, openSqliteReader } from './reader.ts';
import { prepareStatements } from './statements.ts';

export interface SqliteTools {
  /** For messages. */
  readonly file: string;
  /** How much the file may hold; without end where it is left out. */
  readonly maxBytes?: number;
  /** How the next daemon that is refused names this one, such as `pid 4711`. */
  readonly owner?: string;
  readonly log?: Log;
  /** Where the file is; let go of after the database is closed. Without it, it is nowhere. */
  readonly place?: Place;
  /** Opens what was put back there. */
  readonly reopen?: () => DatabaseSync;
}

/**
 * The promise of `Store` over a database that was opened for writing and has the newest schema. Takes over from whoever
 * held it before. Throws a StorageError.
 */
export function createSqliteStore(db: DatabaseSync, tools: SqliteTools): Store {
  const { file, owner = '', log, place, reopen } = tools;
  let maxBytes = tools.maxBytes ?? Infinity;
  let open = answering(file, 'prepare', () => prepareStatements(db, file, maxBytes));
  const fence = answering(file, 'take over', () =>
    inStep(db, 'take-over', () => {
      open.deliveries.endLeases();
      return takeOver(open.facts, owner);
    }),
  );
  const { read, write, writeUnsynced, replace, close } = createAccess(
    db,
    file,
    place === undefined ? null : createCheckpoints(file),
  );

  /** False when another process has taken over, as one may whose lock file was deleted. */
  const isHeld = ({ epoch }: Fence): boolean => epochOf(open.facts) === epoch;

  function writeUnder(step: Step, fence: Fence, work: () => void): Promise<'kept' | 'fenced'> {
    return write(step, () => {
      if (!isHeld(fence)) return 'fenced';
      work();
      return 'kept';
    });
  }

  function keep(decision: Decision, at: Instant): 'kept' | 'superseded' {
    const { watchId, expects, hasChanged, transitions } = decision;
    if (open.memory.versionOf(watchId) !== expects) return 'superseded';
    if (!hasChanged && transitions.length === 0) return 'kept';
    open.memory.keep(decision);
    open.samples.keep(watchId, decision.closed);
    if (expects === 0) open.samples.noteFirst(watchId, at);
    open.samples.noteData(watchId, decision.memory.data, at);
    open.notifications.add(watchId, transitions, at);
    open.journal.append(journalOf(decision, at));
    return 'kept';
  }

  const large = createLargeDeliveries({ read, writeUnsynced }, () => open.deliveries);
  const damaged = (error: unknown): void => log?.error('delivery:damaged', { error: String(error) });
  let isOpen = true;
  let reader: Promise<StoreReader> | null = null;

  async function closeReader(): Promise<void> {
    const former = reader;
    reader = null;
    // One that could not be opened said so to whoever asked for it.
    await former?.then(
      (found) => found[Symbol.asyncDispose](),
      () => undefined,
    );
  }

  function openReader(): Promise<StoreReader> {
    if (place === undefined) return Promise.resolve(createSqliteReader(db, file, () => undefined));
    const opening = openSqliteReader({ file });
    opening.catch(() => {
      reader = null;
    });
    return opening;
  }

  return {
    reader: () => (reader ??= openReader()),
    cluster: { isShared: false, fence },
    setMaxBytes(bytes) {
      maxBytes = bytes;
      open.size.set(bytes);
    },
    recall: (ids, onDamaged) => read(() => open.recall(ids, onDamaged)),
    remembered: () => read(() => open.remembered()),
    covered: () => read(() => open.covered()),
    commit: (decisions, at, fence) =>
      write('commit', () => {
        open.size.assertRoom();
        const isOurs = isHeld(fence);
        return decisions.map((decision): CommitResult => (isOurs ? keep(decision, at) : 'fenced'));
      }),
    readRouting: (limit) => read(() => open.rounds.readRouting(limit)),
    // A power cut may take a round back until the next commit with a wait for the disk. Then it is decided once more, and
    // makes the same deliveries, under the same ids: they follow from content alone. The outcome of a try is such a
    // commit, so what is on record as sent stays so.
    commitRouting: (round, result, at, fence) =>
      writeUnsynced('commit-routing', () => {
        if (!isHeld(fence)) return 'fenced';
        const end = open.rounds.commitRouting(round, result, at);
        if (end === 'kept') open.journal.append(routingLines(round, result, at));
        return end;
      }),
    readDue: (query) => read(() => open.rounds.readDue(query)),
    readMembers: (groups, limit) => read(() => open.rounds.readMembers(groups, limit)),
    commitDue: (round, decision, at, fence) =>
      writeUnsynced('commit-due', () => {
        if (!isHeld(fence)) return 'fenced';
        const end = open.rounds.commitDue(round, decision, at);
        if (end === 'kept') open.journal.append(dueLines(round, decision, at));
        return end;
      }),
    readCalls: (at, limit, uncounted) => read(() => open.rounds.readCalls(at, limit, uncounted)),
    commitCalls: (round, result, at, fence) =>
      writeUnsynced('commit-calls', () => (isHeld(fence) ? open.rounds.commitCalls(round, result, at) : 'fenced')),
    readActive: (after, limit) => read(() => open.rounds.readActive(after, limit)),
    commitReroute: (rerouted, at, fence) =>
      writeUnder('commit-reroute', fence, () => {
        open.rounds.commitReroute(rerouted, at);
      }),
    moveClock: (jump, fence) =>
      writeUnder('move-clock', fence, () => {
        open.rounds.moveClock(jump);
      }),
    nextRound: () => read(() => open.rounds.nextRound()),
    // A power cut may take the last of it back. The machine then is off for longer than what is missing, and until when a
    // watch was covered is a little earlier.
    cover: (coverage, fence) =>
      writeUnsynced('cover', () => {
        if (!isHeld(fence)) return 'fenced';
        open.size.assertRoom();
        for (const [id, one] of coverage) open.memory.cover(id, one);
        return 'kept';
      }),
    diagnostics: (ids) => read(() => open.diagnostics(ids)),
    samples: (watch) => read(() => open.runs.of(watch)),
    samplesAfter: (of, after, limit) => read(() => open.runs.after(of, after, limit)),
    chainBlocks: (explorers) =>
      read(() => new Map(explorers.map((explorer) => [explorer, open.chain.blocks(explorer)]))),
    keepChainBlocks: (explorer, blocks, kept, fence) =>
      writeUnder('keep-chain-blocks', fence, () => {
        open.chain.keep(explorer, blocks, kept);
      }),
    probe: (at) =>
      write('probe', () => {
        open.size.assertRoom();
        open.facts.write('probe', String(at));
      }),
    keepTroubles: (lines) =>
      write('keep-troubles', () => {
        open.facts.write('troubles', JSON.stringify(lines));
      }),
    keepRunning: (outline) =>
      write('keep-running', () => {
        open.facts.write('running', JSON.stringify(outline));
      }),
    forget: (ids) =>
      write('forget', () => {
        for (const id of ids) open.memory.forget(id);
      }),
    // A claim that a power cut takes back is like one whose process ended: the delivery goes out again, under its id.
    async claim(claim, fence) {
      const handOut = (): HandedOut[] => (isHeld(fence) ? open.deliveries.claim(claim, damaged) : []);
      return Promise.all((await writeUnsynced('claim', handOut)).map((one) => large.whole(one)));
    },
    ran: (channel, ms) =>
      writeUnsynced('ran', () => {
        open.deliveries.ran(channel, ms);
      }),
    async settle(tried, settlement, at) {
      const after = settlement.state === 'sent' ? await large.toldBefore(tried, settlement, at) : FIRST_PAGE;
      return write('settle', () => {
        if (!open.deliveries.settle(tried, settlement, at, after)) return 'superseded';
        open.journal.append([triedLine(tried, settlement, at)]);
        return 'settled';
      });
    },
    expire: (channel, at, held) => write('expire', () => open.deliveries.expire(channel, at, held)),
    nextDue: (share) => read(() => open.deliveries.nextDue(share)),
    survey: () => read(() => open.view.survey()),
    answerTo: (request) => read(() => open.interventions.answerTo(request)),
    newsSince: (since) =>
      read(() => ({ newest: open.notifications.newest(), changes: open.interventions.changesSince(since) })),
    intervene: (change, request, act) => write('intervene', () => open.interventions.intervene(change, request, act)),
    announceable: (at) => read(() => open.interventions.announceable(at)),
    announce: (id, transitions, at, fence) =>
      writeUnder('announce', fence, () => {
        open.interventions.announce(id, transitions, at);
      }),
    pauses: () => read(() => open.pauses()),
    policy: (at) => read(() => open.policy(at)),
    openAlerts: (of) => read(() => open.openAlerts(of)),
    linkSecrets: () => read(() => linkSecretsIn(open.facts.json('links'))),
    record: (entries) =>
      write('record', () => {
        open.journal.append(entries);
      }),
    async chainJournal(limit, fence) {
      if (!(await read(() => open.journal.hasUnchained()))) return false;
      // Waits for the disk, as an anchor that is given to others must not be taken back by a power cut.
      const end = await writeUnder('chain-journal', fence, () => {
        open.journal.chain(limit);
      });
      return end === 'kept' && (await read(() => open.journal.hasUnchained()));
    },
    journalHead: () => read(() => open.history.head()),
    countJournal: (after) => read(() => open.history.count(after)),
    history: (filter) => read(() => open.history.history(filter)),
    verifyJournal: (anchor) => read(() => open.history.verify(anchor)),
    backlog: (deadSince) => read(() => open.view.backlog(deadSince)),
    held: () => read(() => open.held()),
    mirrored: (channel, since) => read(() => open.mirror.alerts(channel, since)),
    acksToPass: (channel, at) => read(() => open.mirror.acksToPass(channel, at)),
    keepMirrored: (channel, accepted, fence) =>
      writeUnder('keep-mirrored', fence, () => {
        open.mirror.accept(channel, accepted);
      }),
    async secure() {
      const moved = place?.moved() ?? [];
      if (place === undefined || reopen === undefined || moved.length === 0) return [];
      await closeReader();
      await replace((former) =>
        place.mend(moved, former, () => {
          const fresh = reopen();
          open = prepareStatements(fresh, file, maxBytes);
          return fresh;
        }),
      );
      return moved;
    },
    prune: (before, at) =>
      write('prune', () => {
        open.interventions.prune(before.settled);
        open.deliveries.prune(before.settled);
        open.notifications.prune(before.settled);
        open.states.prune(before.alerts);
        open.alerts.prune(before.alerts);
        open.groups.prune(before.alerts);
        open.mirror.prune(before.settled);
        open.samples.prune(before.journal);
        open.journal.prune(before.journal, at, MOST_DROPPED);
      }),
    async [Symbol.asyncDispose]() {
      await closeReader();
      await close();
      if (isOpen) place?.[Symbol.dispose]();
      isOpen = false;
    },
  };
}

function takeOver(facts: Facts, owner: string): Fence {
  const epoch = epochOf(facts) + 1;
  facts.write('owner', owner);
  facts.write('epoch', String(epoch));
  facts.write('links', JSON.stringify(linkSecretsAfterStart(facts.json('links'), systemClock.now())));
  return { key: 'file', slot: 0, owner, epoch };
}

function epochOf(facts: Facts): number {
  const epoch = Number(facts.read('epoch') ?? 0);
  // A damaged one would equal nothing, itself included.
  return Number.isSafeInteger(epoch) ? epoch : 0;
}
