// A large decision is written in several commits, and other work runs between two of them. Each commit is a complete
// decision about some of the members. If the process dies after it, the other members are decided again, and get their
// own message. The new timer of a group is stored, and a message may be sent, only when the last of its members is
// written.
import { targetKey } from '../core/model/delivery.ts';
import type { DeliveryId, Recipient } from '../core/model/ids.ts';
import type { DueGroup, DueRound } from './rounds/due-round.ts';
import type { DeliveryBatch, BatchMember, Key, RoundResult } from './model.ts';

/** The part of a round that one commit writes. */
export interface RoundShare {
  readonly round: DueRound;
  readonly result: RoundResult;
  readonly shares: DeliveryShares;
}

/** By id: messages of which this commit writes some members. All others are written whole. */
export type DeliveryShares = ReadonlyMap<DeliveryId, DeliveryShare>;

export interface DeliveryShare {
  /** The batch with all members. */
  readonly batch: DeliveryBatch;
  readonly isFirst: boolean;
  readonly isLast: boolean;
  /** Places in the message of the members that are written now. */
  readonly positions: readonly number[];
}

export const WHOLE: DeliveryShares = new Map();

/** Shares of up to `most` members each. */
export function* sharesOf(round: DueRound, result: RoundResult, most: number): Generator<RoundShare, void, undefined> {
  const chunks = chunksOf(round.groups, most);
  if (chunks.length <= 1) {
    yield { round, result, shares: WHOLE };
    return;
  }
  const lines = linesOf(result.batches);
  const written = new Map<DeliveryBatch, number>();
  for (const groups of chunks) {
    const isHere = namesIn(groups);
    const has = ({ target, key }: OfTarget): boolean => isHere.has(nameOf(target, key));
    const ended = new Set(groups.filter(({ unread }) => unread === null).map(({ id }) => id));
    const batches = batchesOf([...isHere].flatMap((name) => lines.get(name) ?? []));
    yield {
      round: { ...round, groups },
      shares: new Map([...batches].flatMap(([batch, some]) => shareOf(batch, some, written))),
      result: {
        ...result,
        groups: result.groups.filter(({ id }) => ended.has(id)),
        batches: [...batches].map(([batch, some]) => ({ ...batch, members: some.map(({ member }) => member) })),
        withdrawn: result.withdrawn.filter(has),
        overtaken: result.overtaken.filter(has),
      },
    };
  }
}

/**
 * Splits the groups into chunks of at most `most` members. `unread` is null if the last members of a group are in the
 * chunk.
 */
function chunksOf(groups: readonly DueGroup[], most: number): DueGroup[][] {
  const chunks: DueGroup[][] = [];
  let room = 0;
  for (const group of groups)
    for (let from = 0; from === 0 || from < group.members.length;) {
      if (room === 0) {
        chunks.push([]);
        room = most;
      }
      const members = group.members.slice(from, from + room);
      from += Math.max(members.length, 1);
      // A group without members costs as much as one member does.
      room -= Math.max(members.length, 1);
      const isEnd = from >= group.members.length;
      chunks.at(-1)?.push({
        ...group,
        members,
        damaged: isEnd ? group.damaged : [],
        unread: isEnd ? null : (members.at(-1)?.key ?? ''),
      });
    }
  return chunks;
}

interface OfTarget {
  readonly target: Recipient;
  readonly key: Key;
}

interface Placed {
  readonly batch: DeliveryBatch;
  readonly member: BatchMember;
  readonly position: number;
}

function linesOf(batches: readonly DeliveryBatch[]): ReadonlyMap<string, readonly Placed[]> {
  const placed = batches.flatMap((batch) => batch.members.map((member, position) => ({ batch, member, position })));
  return Map.groupBy(placed, ({ batch, member }) => nameOf(batch.target, member.key));
}

function batchesOf(placed: readonly Placed[]): ReadonlyMap<DeliveryBatch, readonly Placed[]> {
  return Map.groupBy(
    placed.toSorted((a, b) => a.position - b.position),
    ({ batch }) => batch,
  );
}

function namesIn(groups: readonly DueGroup[]): ReadonlySet<string> {
  return new Set(groups.flatMap(({ target, members }) => members.map(({ key }) => nameOf(target, key))));
}

function nameOf(target: Recipient, key: Key): string {
  return `${targetKey(target)} ${key}`;
}

function shareOf(
  batch: DeliveryBatch,
  some: readonly Placed[],
  written: Map<DeliveryBatch, number>,
): [readonly [DeliveryId, DeliveryShare]] | [] {
  const before = written.get(batch) ?? 0;
  const after = before + some.length;
  written.set(batch, after);
  if (some.length === batch.members.length) return [];
  const positions = some.map(({ position }) => position);
  return [[batch.id, { batch, isFirst: before === 0, isLast: after === batch.members.length, positions }]];
}
