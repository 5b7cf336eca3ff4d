// What a row said that rules judge, in 36 bits: a row of a block that was replaced may come again with another content,
// under the same key. Kept of the newest blocks only, for below them nothing is replaced.
import { hash } from 'node:crypto';
import { z } from 'zod';
import { standingAt } from '../../core/values/standing.ts';
import type { AnyView } from '../../core/values/fields.ts';
import { type BlockByKey, highestOf, LOOK_BACK_BLOCKS, PENDING, type SeenRows, unpack } from '../seen-rows.ts';

export interface RowDigests {
  /** Names what the digests are of: those of other paths say nothing. */
  readonly basis: string;
  /** One after the other, in the order of the remembered rows, the highest block first. */
  readonly text: string;
}

export const RowDigests: z.ZodType<RowDigests> = z.object({ basis: z.string(), text: z.string() });

export const NO_DIGESTS: RowDigests = { basis: '', text: '' };

export type DigestByKey = ReadonlyMap<string, string>;

const DIGEST_LENGTH = 6;
const NONE = '------';

/** Empty when no field is judged: then no digests are made. Digests were once of all that a value holds. */
export function basisOf(paths: readonly string[]): string {
  return paths.length === 0 ? '' : digestOfText(JSON.stringify({ standing: paths }));
}

export function digestOf(view: AnyView, paths: readonly string[]): string {
  return digestOfText(JSON.stringify(paths.map((path) => standingAt(view, path))));
}

/** What is remembered of the rows, in the order of `unpack`; nothing of another basis. */
export function unpackDigests({ basis, text }: RowDigests, rows: BlockByKey, wanted: string): Map<string, string> {
  const digestByKey = new Map<string, string>();
  if (basis !== wanted) return digestByKey;
  let at = 0;
  for (const key of rows.keys()) {
    if (at >= text.length) break;
    const digest = text.slice(at, (at += DIGEST_LENGTH));
    if (digest !== NONE) digestByKey.set(key, digest);
  }
  return digestByKey;
}

/** Of the rows that are remembered, and as far down as blocks are replaced. */
export function packDigests(basis: string, digestByKey: DigestByKey, seen: SeenRows): RowDigests {
  if (basis === '') return NO_DIGESTS;
  const lowest = (highestOf(seen) ?? 0) - LOOK_BACK_BLOCKS;
  const rows = [...unpack(seen)].filter(([, block]) => block !== PENDING && block >= lowest);
  return { basis, text: rows.map(([key]) => digestByKey.get(key) ?? NONE).join('') };
}

function digestOfText(text: string): string {
  return hash('sha256', text, 'base64url').slice(0, DIGEST_LENGTH);
}
