// What the daemon needs of whatever keeps its state. An engine stands in a folder of its own; `open.ts` picks one.
import type { KnownBlock } from '../core/chain/chain-record.ts';
import type { Delivery, Outcome, Receipt, Settlement } from '../core/model/delivery.ts';
import type { Anchor, Verdict } from '../core/journal/chain.ts';
import type { JournalEntry } from '../core/journal/entry.ts';
import type { Json } from '../core/values/fields.ts';
import type { StoredHealth } from '../core/model/health.ts';
import type { StoredSnapshot } from '../core/model/snapshot.ts';
import type { Memory, Run, Samples } from '../core/model/memory.ts';
import type { Decision } from '../core/model/decision.ts';
import type { Accepted, MirroredAlert } from '../core/model/mirror.ts';
import type { Pause } from '../core/model/pause.ts';
import type { AlertId, DeliveryId, Recipient, WatchId } from '../core/model/ids.ts';
import type { Transition } from '../core/model/transition.ts';
import type { Instant } from '../lib/clock.ts';
import type { DispatchStore } from './dispatch-store.ts';
import type { CommitResult, Fence, Shard } from './fence.ts';
import type {
  Act,
  Announceable,
  Intervened,
  Intervention,
  OpenAlertRow,
  OpenFilter,
  OperatorRequest,
  StoredPolicy,
} from './interventions.ts';

export type { CommitResult, Fence, Shard } from './fence.ts';

/** For whom deliveries are claimed. */
export interface Claim {
  readonly channel: string;
  readonly limit: number;
  readonly at: Instant;
  /** For how long nobody else is given what is handed out; at most `LONGEST_LEASE_MS`. */
  readonly leaseMs: number;
}

export const LONGEST_LEASE_MS = 600_000;

/** A delivery that is being sent, and which try this is (1 = the first). */
export interface Claimed {
  readonly delivery: Delivery;
  readonly attempt: number;
  /** An earlier try of it may have arrived. */
  readonly maybeCopy: boolean;
  /** Of the last message about the same alert and episode that the recipient accepted; null = there is none. */
  readonly receipt: Receipt | null;
  /** For how long its channel's sender ran since it was committed, as far as `ran` recorded it. */
  readonly ageMs: number;
}

/** One try to send a delivery. */
export interface Tried {
  readonly id: DeliveryId;
  readonly attempt: number;
}

export interface OutboxDepth {
  readonly channel: string;
  /** Rows that are due or being sent. */
  readonly rows: number;
  readonly oldest: Instant;
}

/** What is owed, for metrics and `status`. */
export interface Survey {
  readonly outbox: readonly OutboxDepth[];
  /** Given up, and not dismissed by an operator. */
  readonly dead: number;
  readonly sent: number;
}

/** What channels did not get rid of. */
export interface Backlog {
  readonly owed: readonly OutboxDepth[];
  /** Given up since a moment: how many on each channel, and when the first of them was. */
  readonly dead: readonly OutboxDepth[];
}

/** Which blocks of an explorer stay. */
export interface KeptHeights {
  readonly from: number;
  readonly anchor: number | null;
}

/** What is kept of a watch apart from its memory, for those who explain. */
export interface StoredDiagnostics {
  /** Null: nothing was looked at yet. */
  readonly snapshot: StoredSnapshot | null;
  readonly health: StoredHealth;
}

/** What moves with every poll. A part that is left out stays as it was. */
export interface Coverage extends Partial<StoredDiagnostics> {
  readonly until: Instant | null;
}

/** What is not where it was opened: the state itself, or the lock that keeps a second daemon away. */
export type Moved = 'file' | 'lock';

/** All that are given must match. */
export interface HistoryFilter {
  readonly subjects?: readonly string[];
  readonly since?: Instant;
  readonly limit: number;
}

/** An alert as a receiver that keeps its own state accepted it. */
export interface AcceptedAlert extends Accepted {
  readonly key: string;
}

export interface JournalCounts {
  /** 0: there is none. */
  readonly line: number;
  readonly lines: Readonly<Record<string, number>>;
}

/** What took the place of a state that was damaged at the start: a backup, or a state that remembers nothing. */
export type Recovery = 'restored' | 'lost';

/** A line of the journal as it is stored. */
export interface JournalLine {
  readonly at: Instant;
  readonly kind: string;
  readonly subject: string;
  readonly actor: string;
  /** Its text, where that is no JSON any more. */
  readonly data: Json;
  /** Null: it is not chained yet. */
  readonly anchor: Anchor | null;
}

/** What is older is dropped. */
export interface Ages {
  readonly settled: Instant;
  readonly alerts: Instant;
  readonly journal: Instant;
}

/** Told of a watch whose memory cannot be read, and why. */
export type OnDamaged = (watch: WatchId, why: string) => void;

/**
 * What is remembered. A memory changes only by committing a decision, together with its transitions.
 * Every method rejects with a `StorageError` when the storage does not answer; then nothing was changed. `commit` and
 * `cover` reject with a `StoreFullError` at the largest size.
 */
export interface Store extends DispatchStore, AsyncDisposable {
  /**
   * A connection of its own that only reads, for who looks at much: no commit waits for it. Always ask for it anew; it is
   * closed with the store.
   */
  reader(): Promise<StoreView>;

  /** What this process proves with that it holds the shard. Equal fences may be committed under together. */
  fenceOf(shard: Shard): Fence;

  /** How large the state may become from now on, where that is this program's to say. */
  setMaxBytes(maxBytes: number): void;

  /**
   * Memory by watch id; ids without memory are left out. Without ids: everything that is remembered. A damaged row is left
   * out where `onDamaged` takes it; else it rejects with a `StorageError` that names the watch.
   */
  recall(ids?: readonly WatchId[], onDamaged?: OnDamaged): Promise<Map<WatchId, Memory>>;

  /** The ids of all watches that are remembered. */
  remembered(): Promise<WatchId[]>;

  /**
   * All decisions in one transaction; each is `superseded`, and leaves nothing behind, when the memory's version is no
   * longer the one it expects. Kept memory gets version + 1. A transition that is already there is not added again.
   */
  commit(decisions: readonly Decision[], at: Instant, fence: Fence): Promise<CommitResult[]>;

  /** Flushes `coveredUntil` and what is kept beside it, apart from memory. Ids without memory are ignored. */
  cover(coverage: ReadonlyMap<WatchId, Coverage>, fence: Fence): Promise<'kept' | 'fenced'>;

  /** What `cover` kept; what cannot be read is as if nothing had been. */
  diagnostics(ids?: readonly WatchId[]): Promise<Map<WatchId, StoredDiagnostics>>;

  /** The closed runs of a watch by path, oldest first. */
  samples(watch: WatchId): Promise<Samples>;

  /** Of one path, up to `limit` runs that follow one which ended then, oldest first. */
  samplesAfter(of: { watch: WatchId; path: string }, after: Instant, limit: number): Promise<readonly Run[]>;

  /** The blocks that each of these explorers is known to have shown. */
  chainBlocks(explorers: readonly string[]): Promise<Map<string, KnownBlock[]>>;

  /** Adds blocks of an explorer, or their last sight, and drops those below `from`, but for the height of the anchor. */
  keepChainBlocks(
    explorer: string,
    blocks: readonly KnownBlock[],
    kept: KeptHeights,
    fence: Fence,
  ): Promise<'kept' | 'fenced'>;

  /** Writes down what runs now, for `plan`; replaces what was written before. */
  keepRunning(outline: Json): Promise<void>;

  /** Writes a row, to see whether the state takes one. */
  probe(at: Instant): Promise<void>;

  /** Writes down what keeps explorers from being asked or believed, a line each; replaces what was written before. */
  keepTroubles(lines: readonly string[]): Promise<void>;

  /** Takes the watch and its memory out for good. */
  forget(ids: readonly WatchId[]): Promise<void>;

  /**
   * Marks up to `limit` due deliveries of one channel as `sending`, each under a lease: the most severe first, of those
   * the longest due. Per (message key, recipient) only the earliest that is not settled is ever handed out, however
   * severe the next one is, so a resolve cannot overtake its firing. Nothing for a process that was taken over.
   */
  claim(claim: Claim, fence: Fence): Promise<Claimed[]>;

  /** Adds to the time for which the sender of the channel ran: what is owed there grows older by it. */
  ran(channel: string, ms: number): Promise<void>;

  /**
   * Ends a try. `sent` counts whichever try it was: a message that was taken over is a fact. The rest counts only for the
   * try that is under way; else it is `superseded` and changes nothing. Not fenced, for the same reason.
   */
  settle(tried: Tried, settlement: Settlement, at: Instant): Promise<'settled' | 'superseded'>;

  /**
   * What is still `sending` on the channel after its lease has ended is due again; resolves with how many. A process that
   * takes over ends the leases of the one before. Those in `held` are left alone: the caller is still sending them.
   */
  expire(channel: string, at: Instant, held: readonly DeliveryId[]): Promise<number>;

  /** When the next delivery of the channel is due; null when nothing waits. */
  nextDue(channel: string): Promise<Instant | null>;

  survey(): Promise<Survey>;

  /** What the request was answered when it was made before, within a day; null when it was not. */
  answerTo(request: OperatorRequest): Promise<Intervened | null>;

  /** Changes what an operator wants changed, once: a repeated request is answered as it was at first. */
  intervene(change: Intervention, request: OperatorRequest, act: Act): Promise<Intervened>;

  /** Silences and pauses that are not over, or whose end nobody was told of. */
  announceable(at: Instant): Promise<Announceable[]>;

  /** Adds the transitions, and notes that people were told of the silence or pause, in one transaction. */
  announce(id: string, transitions: readonly Transition[], at: Instant, fence: Fence): Promise<'kept' | 'fenced'>;

  /** All pauses that are not forgotten yet, those that are over included. */
  pauses(): Promise<Pause[]>;

  /** The silences, pauses and acknowledgements that are in force at that time or will be. */
  policy(at: Instant): Promise<StoredPolicy>;

  /** Conditions that fire, and events of a day that were not retracted: of events the newest 2,000. The oldest first. */
  openAlerts(of: OpenFilter): Promise<OpenAlertRow[]>;

  /** What is owed, and what was given up since then. */
  backlog(deadSince: Instant): Promise<Backlog>;

  /** How many messages are held back, by the reason: `silenced`, `mute-window`. */
  held(): Promise<ReadonlyMap<string, number>>;

  /**
   * Alerts whose rule or routes lead to the channel: those that fire, and those of which something happened since. The
   * oldest news first.
   */
  mirrored(channel: string, since: Instant): Promise<MirroredAlert[]>;

  /** The receiver of the channel accepted these. */
  keepMirrored(channel: string, accepted: readonly AcceptedAlert[], fence: Fence): Promise<'kept' | 'fenced'>;

  /** Appends lines to the journal. Those of a commit, of a try and of an operator are appended with what caused them. */
  record(entries: readonly JournalEntry[], fence: Fence): Promise<'kept' | 'fenced'>;

  /** Chains what was appended to the journal, up to `limit` lines; true when more are left. */
  chainJournal(limit: number, fence: Fence): Promise<boolean>;

  /** The newest line that is chained; null when there is none. Durable before it is answered. */
  journalHead(): Promise<Anchor | null>;

  /**
   * How many lines of each kind follow the line of that number, among the next 20,000 lines, and the number of the last one
   * of them. Null: none is counted, and the newest line is named.
   */
  countJournal(after: number | null): Promise<JournalCounts>;

  /** Lines of the journal, newest first. */
  history(filter: HistoryFilter): Promise<JournalLine[]>;

  /** Follows the chain of the journal from where it begins. `anchor` is one that was kept elsewhere. */
  verifyJournal(anchor: Anchor | null): Promise<Verdict>;

  /**
   * Looks whether the state is still where it was opened, and puts it back where it is not; resolves with what had moved.
   * Rejects with a `StorageError` when that cannot be done, and with a `StoreBusyError` when another daemon has taken the
   * place: then nothing that is written outlives the process, and it has to end.
   */
  secure(): Promise<readonly Moved[]>;

  /**
   * Drops deliveries that were settled before a time and what operators did two months earlier, and what is known of
   * alerts that are over since another time. Lines of the journal from before a third are dropped behind a checkpoint.
   */
  prune(before: Ages, at: Instant): Promise<void>;
}

/** A delivery as it stands in the outbox. */
export interface StoredDelivery extends Delivery {
  /** `merged`: what it said is part of a later one. `cancelled`: it was not said at all. */
  readonly state: 'due' | 'sending' | 'sent' | 'dead' | 'merged' | 'cancelled' | 'parked';
  readonly attempt: number;
  readonly dueAt: Instant;
  readonly settledAt: Instant | null;
  /** Of the last try; null before its end. */
  readonly outcome: { readonly type: Outcome['type']; readonly text: string } | null;
}

/** Which deliveries: those that match all that is given. */
export interface DeliveryFilter {
  readonly state: 'owed' | 'given-up' | 'sent' | null;
  readonly channel: string | null;
  readonly limit: number;
}

/** What may be looked at while a daemon runs, or when none does. Every method rejects with a `StorageError`. */
export interface StoreView extends Pick<
  Store,
  | 'recall'
  | 'diagnostics'
  | 'samples'
  | 'survey'
  | 'backlog'
  | 'pauses'
  | 'policy'
  | 'openAlerts'
  | 'history'
  | 'journalHead'
  | 'verifyJournal'
> {
  /** What the daemon last wrote down of what it runs; null when it never did. */
  running(): Promise<Json>;
  /** What the daemon last wrote down of its explorers. */
  troubles(): Promise<readonly string[]>;
  /** The newest first. */
  deliveries(filter: DeliveryFilter): Promise<StoredDelivery[]>;
  /** Null: there is none, or no longer. */
  delivery(id: DeliveryId): Promise<StoredDelivery | null>;
  /** By key of each alert that fires, who was told so. */
  told(): Promise<ReadonlyMap<string, readonly Recipient[]>>;
  /** Those that were given up or refused and that nobody dismissed, newest first. */
  dead(limit: number): Promise<StoredDelivery[]>;
  /** Of what is due again on a channel after a try, what is due last; null: nothing is. */
  lastTried(channel: string): Promise<StoredDelivery | null>;
  /** Those of one alert of a watch, newest first. */
  deliveriesOf(watch: WatchId, alert: AlertId, limit: number): Promise<StoredDelivery[]>;
}

/** A connection of its own, which the caller closes. */
export interface StoreReader extends StoreView, AsyncDisposable {}

/** What is damaged, and what to do. */
export interface Finding {
  readonly what: string;
  /** Empty where `what` says it. */
  readonly advice: string;
}

/** What a look at every page and every row has found. */
export interface StateCheck {
  readonly schema: number;
  /** False: an older release wrote it, and only its pages were looked at. */
  readonly isCurrent: boolean;
  readonly bytes: number;
  /** By table. */
  readonly rows: ReadonlyMap<string, number>;
  readonly findings: readonly Finding[];
}

/** A complete, checked copy of the state in a file of its own. */
export interface Backup {
  readonly file: string;
  readonly at: Instant;
}

/** `former`: where the state file that was replaced is now; null = there was none. */
export interface Restored {
  readonly former: string | null;
}

/** The directory of backups. Every method rejects with a StorageError. */
export interface Backups {
  /** The newest first. */
  list(): Promise<readonly Backup[]>;
  /**
   * Makes the backup of this second, beside the work of a daemon, and drops those that are too many. Rejects with the
   * signal's reason when it aborts; then none was made.
   */
  make(at: Instant, signal: AbortSignal): Promise<Backup>;
}

/** The storage did not do what was asked; nothing was changed. Exit code 74. */
export class StorageError extends Error {
  override readonly name: string = 'StorageError';
}

/** The file is no longer what was written: its pages do not fit together, or it is no database any more. */
export class StateDamagedError extends StorageError {
  override readonly name: string = 'StateDamagedError';
}

/** The state has reached its size: nothing that adds to it is kept until there is room. */
export class StoreFullError extends StorageError {
  override readonly name: string = 'StoreFullError';
}

/** Another daemon holds the state file. Exit code 75. */
export class StoreBusyError extends Error {
  override readonly name = 'StoreBusyError';
}
