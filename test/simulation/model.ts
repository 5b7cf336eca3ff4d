// What a history of the simulation consists of, and what a run of it leaves behind. Types alone: nothing here can be
// wrong with the code under test, and the oracle imports nothing but types.
import type { FaultKind } from './faults/kinds.ts';
import type { PeopleLog } from './people/log.ts';

/** Milliseconds since 1970 of true time. The clock of the daemon may say otherwise. */
export type Instant = number;

/** Two histories of one seed are the same for as many days as the shorter one lasts. */
export interface History {
  readonly seed: number;
  readonly days: number;
  readonly faults: readonly PlannedFault[];
  readonly stretch: Stretch;
  readonly watched: Watched;
}

/**
 * What the rules are about, and what happens on the chain: two simulations that share all else. So a seed of one of them
 * stays what it is when the other one learns something.
 */
export type Watched = 'accounts' | 'contracts';

/** `off`: the plan is written, and intervals stay as they are, whatever is left of it. */
export type Stretch = 'on' | 'off';

/** One fault of a history. Each kind says what its numbers mean (faults/catalogue.ts); those it has no use for are 0. */
export interface PlannedFault {
  readonly id: string;
  readonly kind: FaultKind;
  readonly at: Instant;
  /** How long it lasts. */
  readonly ms: number;
  /** How many answers, commits or messages it strikes at most. */
  readonly times: number;
  /** The path that it strikes; null = every one. */
  readonly path: string | null;
  readonly amount: number;
}

/** A row of a list, reduced to what references look at: as the chain has it, or as an explorer served it. */
export interface Row {
  /**
   * The hash of a transaction or block, `hash:index` of a call, `hash:n` of the n-th event of a transaction, the address of a
   * token, `address/id` of a piece.
   */
  readonly id: string;
  /** Null: in no block. */
  readonly block: number | null;
  readonly facts: Facts;
}

/** By the name of the field in the API, as text; null = not known. */
export type Facts = Readonly<Record<string, string | null>>;

/** A stretch of time in which the chain showed an item in one place and with the same facts. */
export interface Stay {
  readonly from: Instant;
  /** Null: until the end of the history. */
  readonly to: Instant | null;
  readonly row: Row;
}

/** A transaction, or a call inside one. Its stays do not overlap; those that touch are one presence. */
export interface ChainItem {
  readonly id: string;
  /** The lists in which it is shown while it is mined, and those that show it while it waits. */
  readonly paths: readonly string[];
  readonly waitsIn: readonly string[];
  readonly stays: readonly Stay[];
  /** What the daemon calls it; left out: as it is called here. */
  readonly key?: string;
}

/** From that moment on the value was this. */
export interface Step {
  readonly at: Instant;
  readonly value: string;
}

/** The blocks from..to were replaced. */
export interface Reorganisation {
  readonly at: Instant;
  readonly from: number;
  readonly to: number;
}

/** What was true on the chain, and when. */
export interface ChainLog {
  readonly items: readonly ChainItem[];
  readonly reorganisations: readonly Reorganisation[];
  /** The head stood still. */
  readonly freezes: readonly Span[];
  readonly coin: readonly Step[];
  readonly reputation: readonly Step[];
  /** By the address of the token in lower case, in the smallest unit; '0' = not held. */
  readonly tokens: ReadonlyMap<string, readonly Step[]>;
  /** What is behind the proxy: addresses in lower case. */
  readonly code: readonly Step[];
  /** The values of contracts, by their names; see chain/value-log.ts. */
  readonly values: ReadonlyMap<string, readonly Step[]>;
}

export interface Span {
  readonly from: Instant;
  readonly to: Instant;
}

export type ReplicaName = 'chain' | 'lagging' | 'fork' | 'other-chain';

/** One request that left, and what came back after the faults. */
export interface Served {
  readonly at: Instant;
  /** Without the query: `addresses/0x…/tokens`. */
  readonly path: string;
  /** The query, its parameters in order; '' = the first page. */
  readonly cursor: string;
  readonly replica: ReplicaName;
  /** The id of the fault that spoilt the answer, or stood in its place. */
  readonly fault: string | null;
  /** Null: no answer that can be read. */
  readonly answer: Answer | null;
  /** What the limiter asked for: before then, no request. Null: nothing. */
  readonly restsUntil: Instant | null;
  /** Nothing was left of the plan. */
  readonly isUnpaid: boolean;
}

/** A page, or the facts of one thing. */
export type Answer = { readonly type: 'page'; readonly page: Page } | { readonly type: 'one'; readonly facts: Facts };

export interface Page {
  readonly rows: readonly Row[];
  /** Rows that cannot be told from others. */
  readonly nameless: number;
  /** As `cursor`; null = there is none. */
  readonly next: string | null;
  /** Asked for by these heights, and all of them; left out: from the newest one down. */
  readonly heights?: Gap;
  /** The list ends here. An empty cursor behind a full page says nothing of the kind. */
  readonly isEnd: boolean;
}

/** A watch was due. What its poll read are the answers to its path from then on, until it is due again. */
export interface Poll {
  readonly watch: string;
  readonly startedAt: Instant;
  /** When it was decided, and by the clock of the daemon; null = it never was. */
  decided: { readonly at: Instant; readonly clockAt: Instant } | null;
  /** What it read is in the store; also where the daemon never learned that it is. */
  isKept: boolean;
  /** It came to nothing: the daemon says that the watch saw nothing. */
  isMissed: boolean;
  /** Heights that `status` names as unread after it. */
  gaps: readonly Gap[];
}

export interface Gap {
  readonly from: number;
  readonly to: number;
}

/** What was committed about an alert. Who is owed it is for the oracle for people. */
export interface Owed {
  readonly at: Instant;
  /** By the clock of the daemon, when it was decided. */
  readonly clockAt: Instant;
  /** Members of a summary share it. */
  readonly id: string;
  /** `all` */
  readonly recipient: string;
  readonly watch: string;
  readonly alert: string;
  readonly type: string;
  readonly key: string;
  readonly severity: string;
  /** It was committed together with others of its alert. */
  readonly isOfSummary: boolean;
  /** As in `Row`; null where the message is about no item. */
  readonly item: string | null;
  readonly facts: Facts;
  readonly reason: string | null;
}

/** Why the answers to a path, or to all of them, or the daemon itself, were not as they should be. */
export interface Disturbance extends Span {
  readonly path: string | null;
}

/** A watch was not polled, as an operator wanted. `path`: what it asks. */
export interface Paused extends Disturbance {
  readonly watch: string;
}

/** What a run leaves behind. Each list is in the order of time. */
export interface Logs {
  readonly span: Span;
  readonly stretch: Stretch;
  readonly watched: Watched;
  readonly chain: ChainLog;
  readonly served: readonly Served[];
  readonly polls: readonly Poll[];
  readonly owed: readonly Owed[];
  readonly disturbances: readonly Disturbance[];
  readonly paused: readonly Paused[];
  /** When the daemon ran. */
  readonly lives: readonly Span[];
  /** What the daemon said of its own sight, every ten minutes. */
  readonly blindness: readonly Blindness[];
  /** All that is to be known of who is told. */
  readonly people: PeopleLog;
  readonly sightings: readonly Sighting[];
}

/** Which watches the daemon takes to be blind. */
export interface Blindness {
  readonly at: Instant;
  readonly clockAt: Instant;
  readonly watches: readonly string[];
  /** How many times as long as written the intervals are said to be, of the severity that a plan stretches most. */
  readonly stretch: number;
}

/** Something of what people do, or of what becomes of messages, met an alert. */
export interface Sighting extends Span {
  readonly of: Meeting;
  /** Of the alert. */
  readonly key: string;
  /** In which it met it. */
  readonly episode: number;
}

export const MEETINGS = [
  'reload',
  'restart',
  'ack',
  'snooze',
  'silence',
  'mute',
  'cap',
  'group wait',
  'inhibition',
  'escalation',
  'failover',
  'cooldown',
  'retraction',
  'flapping',
  'given up',
] as const;
export type Meeting = (typeof MEETINGS)[number];

/** What the oracle is told about the rules. Its functions look at rows, as the chain has them or as they were served. */
export interface References {
  readonly intervalMs: number;
  readonly recipients: readonly string[];
  readonly events: readonly EventReference[];
  readonly conditions: readonly ConditionReference[];
  readonly holdings: readonly HoldingsReference[];
  readonly changes: readonly ChangeReference[];
  readonly reorganisations: { readonly watch: string; readonly alert: string; readonly path: string };
  readonly departures: readonly DepartureReference[];
  readonly reports: readonly ReportReference[];
  readonly counts: readonly CountReference[];
  readonly cron: readonly CronReference[];
  readonly code: readonly CodeReference[];
  readonly rows: readonly RowReference[];
  readonly reads: readonly ReadReference[];
}

/** One version of an alert about changes of a value that a contract answers. */
export interface ReadReference {
  readonly name: string;
  readonly watch: string;
  readonly alert: string;
  readonly path: string;
  /** As it is called in the log of the chain, and in what is served. */
  readonly fact: string;
  /** Blocks below the newest one; 0: it is asked at the newest one. */
  readonly confirmations: number;
  /** The value in a message, written as in the log of the chain; null = none. */
  readonly toldIn: (facts: Facts) => string | null;
}

/** One version of an alert about blocks in a row. */
export interface RowReference {
  readonly name: string;
  readonly watch: string;
  readonly alert: string;
  readonly path: string;
  /** So many. */
  readonly limit: number;
  /** Whether a block has something in it. */
  readonly matches: (row: Row) => boolean;
}

/** Alerts about what is behind a proxy. */
export interface CodeReference {
  readonly watch: string;
  readonly path: string;
  /** Of each change. */
  readonly changed: string;
  /** While it is none of the expected ones. */
  readonly foreign: string;
  /** Addresses in lower case. */
  readonly expected: readonly string[];
}

/** An alert about the items of a list. */
export interface EventReference {
  readonly watch: string;
  readonly alert: string;
  readonly path: string;
  /** `mined`: only of those that were seen waiting before. */
  readonly on: 'new' | 'mined';
  readonly confirmations: number;
  readonly matches: (row: Row) => boolean;
  /** Only a stranger says so: it is no more than a warning, and of those of one poll one is told by itself. Left out: none is. */
  readonly isClaim?: (row: Row) => boolean;
}

/** An alert about some of the tokens that leave. */
export interface DepartureReference {
  readonly watch: string;
  readonly alert: string;
  readonly path: string;
  /** Their addresses. */
  readonly tokens: readonly string[];
}

/** An alert at fixed times of UTC. */
export interface ReportReference {
  readonly watch: string;
  readonly alert: string;
  readonly path: string;
  /** It is due at each multiple of the period, and so much later. */
  readonly periodMs: number;
  readonly offsetMs: number;
  /** Null = unknown. */
  readonly valueOf: (poll: ReadPoll) => number | null;
  readonly isTold: (value: number) => boolean;
}

/** One version of an alert that counts failed calls. */
export interface CountReference {
  readonly name: string;
  readonly watch: string;
  readonly alert: string;
  readonly path: string;
  readonly windowMs: number;
  readonly holds: (counted: CountedCalls) => boolean;
}

/** Those within the window. */
export interface CountedCalls {
  readonly failed: number;
  readonly all: number;
  /** Since the last failed call, or since the version is in force. */
  readonly silentMs: number;
}

/** A watch of which it is judged whether it is blind, such as one that is polled at some hours of the day only. */
export interface CronReference {
  readonly watch: string;
  readonly path: string;
  readonly valueOf: (poll: ReadPoll) => number | null;
  /** How many of its due times are after `from`, up to `to`. */
  readonly dueBetween: (from: Instant, to: Instant) => number;
}

/** An alert that lasts. */
export interface ConditionReference {
  /** Of this version; left out: `watch/alert`. */
  readonly name?: string;
  /** After an end that was told no begin is told for so long; left out: it is. */
  readonly cooldownMs?: number;
  readonly watch: string;
  readonly alert: string;
  readonly path: string;
  readonly forMs: number;
  /** Of what was read in one poll, after the last known value; null = unknown. */
  readonly valueOf: (poll: ReadPoll, last: number | null, polls: readonly ReadPoll[]) => number | null;
  /** Compares that value with those of the time before, the oldest first; left out where the value itself is judged. */
  readonly lookBack?: LookBack;
  /** Whether it says nothing of a chain that stands still. */
  readonly needsHead: boolean;
  readonly isTrue: (value: number) => boolean;
  /** Whether it ends one that fires. */
  readonly ends: (value: number) => boolean;
}

export interface LookBack {
  /** Of the values that are compared with. Where something was wrong within it, nothing is judged. */
  readonly ms: number;
  /** Null = unknown. */
  readonly compare: (value: Sample, before: readonly Sample[], intervalMs: number) => number | null;
}

/** A known value, by the clock of the daemon. */
export interface Sample {
  readonly clockAt: Instant;
  readonly value: number;
}

export interface HoldingsReference {
  readonly watch: string;
  readonly path: string;
  readonly arrived: string;
  readonly left: string;
}

/** An alert about changes of one value, by the value that it tells of. */
export interface ChangeReference {
  readonly watch: string;
  readonly path: string;
  readonly fact: string;
  readonly alertByValue: Readonly<Record<string, string>>;
}

/** What a poll read. */
export interface ReadPoll {
  readonly poll: Poll;
  readonly until: Instant;
  /** Of its own path. */
  readonly served: readonly Served[];
  readonly readings: readonly Reading[];
  /** The newest block that was shown meanwhile, by the list of blocks or by its own rows; null = none was. */
  readonly head: number | null;
  /** Without blocks that have nothing in common with those known: they say nothing of what is gone. */
  readonly linkedHead: number | null;
  /** The same by the list of blocks alone: only this shows that a server knows what waits. */
  readonly askedHead: number | null;
}

/** Pages that follow one another. */
export interface Reading {
  readonly at: Instant;
  /** Null: from the first page on. Else it began in the midst of the list: behind what was read of this block. */
  readonly below: number | null;
  readonly rows: readonly Row[];
  readonly nameless: number;
  /** It went on to the end of the list. */
  readonly isWhole: boolean;
  /** It was asked for by these heights; null: from the newest one down. */
  readonly heights: Gap | null;
}

/** What the oracle found to be wrong. */
export interface Verdict {
  readonly check: Check;
  readonly at: Instant;
  readonly watch: string;
  /** One sentence. */
  readonly what: string;
}

export const CHECKS = [
  'lost',
  'invented',
  'doubled',
  'wrongly-retracted',
  'falsely-resolved',
  'unnamed-gap',
  'overspent',
  'out-of-order',
  'too-many',
] as const;
export type Check = (typeof CHECKS)[number];
