// The journal: what the daemon decided, told and was asked to do, a line each, in order.
import { canonicalJson } from '../../lib/canonical-json.ts';
import type { Instant } from '../../lib/clock.ts';
import type { Json } from '../values/fields.ts';

/**
 * `observed`, `decided`: of a poll. `routed` to `cancelled`: of a round of dispatch. `tried`: a delivery is tried again;
 * `told`, `dead`: how it ended. `config` to `checkpoint` are of the daemon itself, the rest of replicas. Actions of
 * operators name theirs themselves (operators/action.ts).
 */
export const JOURNAL_KINDS = [
  'observed',
  'decided',
  'routed',
  'held',
  'released',
  'closed',
  'merged',
  'cancelled',
  'tried',
  'told',
  'dead',
  'config',
  'start',
  'stop',
  'clock',
  'checkpoint',
  'replica-joined',
  'shard-claimed',
  'commit-fenced',
  'config-in-force',
  'entered',
  'left',
  'wrong-tokens',
] as const;
export type JournalKind = (typeof JOURNAL_KINDS)[number];

export interface JournalEntry {
  readonly at: Instant;
  /** A `JournalKind`, or that of an operator's action. */
  readonly kind: string;
  /** A watch, an alert key, a delivery, a silence, or `daemon`. */
  readonly subject: string;
  /** Who did it: `daemon`, or an operator. */
  readonly actor: string;
  readonly data: Json;
}

/** As it is stored and hashed. */
export interface JournalText {
  readonly at: Instant;
  readonly kind: string;
  readonly subject: string;
  readonly actor: string;
  /** Canonical JSON. */
  readonly data: string;
}

/** With 800,000 lines at most, the journal takes no more than a gigabyte. */
const LARGEST_DATA = 780;
/** The id of a watch is whole: a rule and an explorer of 64 characters each, an account and a token. It is looked up. */
const LONGEST_SUBJECT = 220;
const LONGEST_ACTOR = 100;

/** Names and data are cut to what a line may hold. */
export function textOf({ at, kind, subject, actor, data }: JournalEntry): JournalText {
  const text = canonicalJson(data);
  return {
    at,
    kind,
    subject: nameOf(subject, LONGEST_SUBJECT),
    actor: nameOf(actor, LONGEST_ACTOR),
    data: text.length <= LARGEST_DATA ? text : canonicalJson({ cut: text.slice(0, LARGEST_DATA / 2) }),
  };
}

// The separator of the hash: with it inside a name, text could move from one column to the next unseen.
export const SEPARATOR = '\u001f';

function nameOf(text: string, longest: number): string {
  return text.replaceAll(SEPARATOR, ' ').slice(0, longest);
}
