// Each line of the journal contains the hash of itself and of the line before it. Changing, removing or adding a line
// in the middle breaks the chain there. A chain that was rewritten to its end is detected only by an anchor kept
// elsewhere: the position and hash of some line.
import { createHash } from 'node:crypto';
import { SEPARATOR, type JournalText } from './entry.ts';

/** The position and hash of a line. They fix all lines before it. */
export interface JournalAnchor {
  /** The position of the line, from 1. */
  readonly position: number;
  /** 64 hexadecimal digits; in an anchor from a person, at least the first 8 of them. */
  readonly hash: string;
}

export interface ChainedText extends JournalText, JournalAnchor {}

/** The anchor before the first line. */
export const GENESIS: JournalAnchor = { position: 0, hash: '' };

/** The anchor of the line that follows `previous`. */
export function nextAnchor(previous: JournalAnchor, { at, kind, subject, actor, data }: JournalText): JournalAnchor {
  const position = previous.position + 1;
  const hash = createHash('sha256')
    .update([previous.hash, position, at, kind, subject, actor, data].join(SEPARATOR))
    .digest('hex');
  return { position, hash };
}

const SHORTEST_HASH = 8;

/** `48211:9f3a00c1` with at least 8 digits of the hash; null for any other text. */
export function parseAnchor(text: string): JournalAnchor | null {
  const parts = /^(\d{1,15}):([0-9a-f]+)$/.exec(text.trim().toLowerCase());
  const [, position = '', hash = ''] = parts ?? [];
  return hash.length < SHORTEST_HASH || hash.length > 64 ? null : { position: Number(position), hash };
}

export function showAnchor({ position, hash }: JournalAnchor): string {
  return `${position}:${hash}`;
}

export type ChainCheck =
  /**
   * `head`: the last line; null: no line was ever chained. `after`: the last line that was deleted because of its age.
   */
  | { readonly type: 'intact'; readonly after: number; readonly head: JournalAnchor | null }
  | { readonly type: 'broken'; readonly position: number; readonly why: string };

type Broken = Extract<ChainCheck, { type: 'broken' }>;

export interface Verifier {
  /** The lines in the order of their positions. Lines after a break of the chain are ignored. */
  add(line: ChainedText): void;
  end(): ChainCheck;
}

/**
 * `start`: the last line that was deleted because of its age. `anchor`: an anchor kept elsewhere, whose line must be
 * found.
 */
export function createVerifier(start: JournalAnchor | null, anchor: JournalAnchor | null): Verifier {
  const from = start ?? GENESIS;
  let last = from;
  let broken = contradiction(from, anchor);
  return {
    add(line) {
      broken ??= breakAt(last, line) ?? contradiction(line, anchor);
      last = { position: line.position, hash: line.hash };
    },
    end() {
      if (broken !== null) return broken;
      if (anchor !== null && anchor.position > last.position)
        return { type: 'broken', position: anchor.position, why: `the journal ends at ${last.position}` };
      if (anchor !== null && anchor.position < from.position)
        return { type: 'broken', position: anchor.position, why: 'it was dropped by its age, and cannot be compared' };
      return { type: 'intact', after: from.position, head: last.position === 0 ? null : last };
    },
  };
}

function breakAt(last: JournalAnchor, line: ChainedText): Broken | null {
  const expected = nextAnchor(last, line);
  if (line.position !== expected.position)
    return { type: 'broken', position: expected.position, why: `it is missing; the next is ${line.position}` };
  const names = [line.kind, line.subject, line.actor, line.data];
  const isSound = line.hash === expected.hash && !names.some((text) => text.includes(SEPARATOR));
  return isSound ? null : { type: 'broken', position: line.position, why: 'it, or the hash before it, was changed' };
}

function contradiction(found: JournalAnchor, anchor: JournalAnchor | null): Broken | null {
  if (anchor?.position !== found.position || found.hash.startsWith(anchor.hash)) return null;
  return { type: 'broken', position: found.position, why: 'its hash is another than the one that was kept' };
}
