// The journal: decisions, messages and requests of operators, one line each, in order.
import { createHash } from 'node:crypto';
import { canonicalJson } from '../../lib/canonical-json.ts';
import type { Instant } from '../../lib/clock.ts';
import type { Json } from '../values/fields.ts';

/**
 * `observed`, `decided`: of a poll. `routed` to `cancelled`: of a round of dispatch. `tried`: a delivery is tried
 * again; `told`, `dead`: its end. `config` to `checkpoint`: of the daemon itself; the others: of replicas. Each action
 * of operators has its own kind (operators/action.ts).
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
  'not-as-kept',
  'replica-joined',
  'shard-claimed',
  'commit-fenced',
  'config-in-force',
  'config-accepted',
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
  /** The actor: `daemon`, or an operator. */
  readonly actor: string;
  readonly data: Json;
}

/** An entry as it is stored and hashed. */
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
/**
 * The id of a watch is not cut, because it is looked up: a rule and an explorer of 64 characters each, an account and a
 * token.
 */
const LONGEST_SUBJECT = 220;
const LONGEST_ACTOR = 100;

/** Names and data are cut to the length that a line may have. */
export function textOf({ at, kind, subject, actor, data }: JournalEntry): JournalText {
  const text = canonicalJson(data);
  return {
    at,
    kind,
    subject: nameOf(subject, LONGEST_SUBJECT),
    actor: nameOf(actor, LONGEST_ACTOR),
    data: text.length <= LARGEST_DATA ? text : shortened(data, text),
  };
}

/**
 * The comment is cut first, then long values, so that a long comment cannot hide matchers or an end. The digest is of
 * the whole data.
 */
function shortened(data: Json, text: string): string {
  const digest = { sha256: createHash('sha256').update(text).digest('hex') };
  if (typeof data !== 'object' || data === null || Array.isArray(data)) return cutTo(LARGEST_DATA, text, digest);
  const { comment, ...rest } = data as Readonly<Record<string, Json>>;
  const others = { ...rest, ...digest };
  const room = LARGEST_DATA - canonicalJson(others).length - COMMENT_KEY;
  if (typeof comment === 'string' && room >= 0)
    return canonicalJson({ ...others, comment: `${comment.slice(0, room / WIDEST)}…` });
  const [short, long] = partition(Object.entries(rest), ([, value]) => isShort(value));
  return cutTo(LARGEST_DATA, canonicalJson(Object.fromEntries(long)), { ...Object.fromEntries(short), ...digest });
}

/** The length of `,"comment":"…"`, and some spare characters. */
const COMMENT_KEY = 40;
/** The most JSON characters of one letter: a quotation mark takes two. */
const WIDEST = 2;
const SHORT = 64;
const MOST_SHORT = 8;

function partition<T>(all: readonly T[], is: (one: T) => boolean): readonly [T[], T[]] {
  const chosen = all.filter(is).slice(0, MOST_SHORT);
  return [chosen, all.filter((one) => !chosen.includes(one))];
}

function isShort(value: Json): boolean {
  return typeof value === 'string' ? value.length <= SHORT : typeof value !== 'object' || value === null;
}

function cutTo(longest: number, text: string, beside: Readonly<Record<string, Json>>): string {
  const room = longest - canonicalJson({ ...beside, cut: '' }).length;
  return canonicalJson({ ...beside, cut: text.slice(0, Math.max(0, room) / WIDEST) });
}

// The separator in the hashed text. A name must not contain it: text could then move from one column to the next
// without a change of the hash.
export const SEPARATOR = '\u001f';

function nameOf(text: string, longest: number): string {
  return text.replaceAll(SEPARATOR, ' ').slice(0, longest);
}
