// Digests of 36 bits for the values that rules judge. A replaced block may bring a row again with the same key and
// another content. Digests are kept for the newest blocks only, since deeper ones are not replaced. While a value is
// unknown, its last digest stays: a field that a server sometimes leaves out does not count as changed.
import { hash } from 'node:crypto';
import { z } from 'zod';
import { standingAt } from '../../core/values/standing.ts';
import type { AnyView } from '../../core/values/fields.ts';
import { type BlockByKey, highestOf, LOOK_BACK_BLOCKS, PENDING, type SeenRows, unpack } from '../seen-rows.ts';

export interface RowDigests {
  /** Names the paths of the digests. Digests of other paths are not comparable. */
  readonly basis: string;
  /** One digest for each path of a row, in the order of the remembered rows, the highest block first. */
  readonly text: string;
}

export const RowDigests: z.ZodType<RowDigests> = z.object({ basis: z.string(), text: z.string() });

export const NO_DIGESTS: RowDigests = { basis: '', text: '' };

/** The digests of a row by path; null if the value was never known. */
export type RowDigest = readonly (string | null)[];
export type DigestByKey = ReadonlyMap<string, RowDigest>;

const DIGEST_LENGTH = 6;
const NONE = '------';

/**
 * Empty if no field is judged, since no digests are made then. If digests are made in another way, this name must
 * change.
 */
export function basisOf(paths: readonly string[]): string {
  return paths.length === 0 ? '' : digestOfText(JSON.stringify({ each: paths }));
}

export function digestOf(view: AnyView, paths: readonly string[]): RowDigest {
  const known = lastByView.get(view);
  if (known?.paths === paths) return known.digest;
  const digest = paths.map((path) => {
    const value = standingAt(view, path);
    return value === null ? null : digestOfText(JSON.stringify(value));
  });
  lastByView.set(view, { paths, digest });
  return digest;
}

/** A poll needs the digests of a row twice, to compare and to store them. They are computed once. */
const lastByView = new WeakMap<AnyView, { readonly paths: readonly string[]; readonly digest: RowDigest }>();

/** The last known digest of each value. */
export function latestOf(before: RowDigest, now: RowDigest): RowDigest {
  return now.map((digest, n) => digest ?? before[n] ?? null);
}

/** The digests of the rows, in the order of `unpack`; empty if they are of other paths. */
export function unpackDigests(
  { basis, text }: RowDigests,
  rows: BlockByKey,
  paths: readonly string[],
): Map<string, RowDigest> {
  const digestByKey = new Map<string, RowDigest>();
  if (basis !== basisOf(paths)) return digestByKey;
  let at = 0;
  for (const key of rows.keys()) {
    if (at >= text.length) break;
    const digest = paths.map(() => text.slice(at, (at += DIGEST_LENGTH)));
    if (digest.some((one) => one !== NONE))
      digestByKey.set(
        key,
        digest.map((one) => (one === NONE ? null : one)),
      );
  }
  return digestByKey;
}

/** Keeps digests of remembered rows, down to the depth at which blocks are replaced. */
export function packDigests(paths: readonly string[], digestByKey: DigestByKey, seen: SeenRows): RowDigests {
  const lowest = (highestOf(seen) ?? 0) - LOOK_BACK_BLOCKS;
  const rows = [...unpack(seen)].filter(([, block]) => block !== PENDING && block >= lowest);
  const textOf = (digest: RowDigest | undefined): string => paths.map((_path, n) => digest?.[n] ?? NONE).join('');
  return { basis: basisOf(paths), text: rows.map(([key]) => textOf(digestByKey.get(key))).join('') };
}

function digestOfText(text: string): string {
  return hash('sha256', text, 'base64url').slice(0, DIGEST_LENGTH);
}
