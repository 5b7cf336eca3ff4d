// What was told and is not on the chain any more must be taken back; what is on the chain must not be.
import type {
  ChainItem,
  EventReference,
  Instant,
  Logs,
  Owed,
  Reading,
  ReadPoll,
  Served,
  Stay,
  Verdict,
} from '../model.ts';
import type { Evidence } from './evidence.ts';
import { madeAt } from './heights.ts';
import type { RightTime } from './right-time.ts';

const BELIEVED_AFTER = 3;
const MINUTE = 60_000;
/** So deep nothing is taken back any more. */
const FINAL_DEPTH = 64;
const BLOCK_MS = 60_000;
/** So deep nothing is followed any more, not even an item that was missing when its block was last read. */
const FORGOTTEN_DEPTH = 10 * FINAL_DEPTH;

interface Case {
  readonly logs: Logs;
  readonly reference: EventReference;
  readonly polls: readonly ReadPoll[];
  readonly owed: readonly Owed[];
  readonly rightTime: RightTime;
  readonly intervalMs: number;
}

export function judgeRetractions({ logs, references, pollsOf, rightTimeOf }: Evidence): Verdict[] {
  const itemById = new Map(logs.chain.items.map((item) => [item.id, item]));
  return references.events.flatMap((reference) => {
    const { watch, alert, path } = reference;
    const owed = logs.owed.filter((one) => one.watch === watch && one.alert === alert);
    const byItem = Map.groupBy(owed, ({ item }) => item ?? '');
    const given: Case = {
      logs,
      reference,
      polls: pollsOf(watch, path),
      owed,
      rightTime: rightTimeOf(path),
      intervalMs: references.intervalMs,
    };
    return [...byItem].flatMap(([id, messages]) => {
      const item = itemById.get(id);
      return item === undefined ? [] : [...missingOf(given, item, messages), ...wrongOf(given, item, messages)];
    });
  });
}

/** Gone for good, and after three readings that show it and ten minutes somebody still takes it to be there. */
function missingOf(
  { reference, polls, rightTime, logs, intervalMs }: Case,
  item: ChainItem,
  messages: readonly Owed[],
): Verdict[] {
  const last = item.stays.at(-1);
  if (last === undefined || last.to === null) return [];
  const goneAt = last.to;
  const [first] = messages;
  if (first === undefined || first.at > goneAt || !isFollowed(last)) return [];
  const { block } = last.row;
  const believedAt = absenceBelievedAt(
    polls.filter(({ poll }) => poll.startedAt > goneAt),
    item.id,
    block,
  );
  const dueAt = believedAt === null ? null : rightTime.after(believedAt, 10 * MINUTE + 2 * intervalMs);
  if (dueAt === null || dueAt > logs.span.to) return [];
  const misled = misledAt(dueAt, messages);
  if (misled.length === 0) return [];
  const what = `${reference.alert}: ${item.id} left block ${block} at ${new Date(goneAt).toISOString()} and was not retracted to ${misled.join(', ')}`;
  return [{ check: 'lost', at: dueAt, watch: reference.watch, what }];
}

/** After three readings in a row without it. Of what waited only if the head has moved since the first of them. */
function absenceBelievedAt(polls: readonly ReadPoll[], id: string, block: number | null): Instant | null {
  let absent = 0;
  let firstHead: number | null = null;
  for (const poll of polls.filter(isComplete))
    for (const reading of poll.readings) {
      const head = block === null ? poll.askedHead : poll.linkedHead;
      if (has(reading, id)) [absent, firstHead] = [0, null];
      if (has(reading, id) || !shows(reading, block) || head === null || head < (block ?? 0)) continue;
      if (block !== null && head - block >= FORGOTTEN_DEPTH) return null;
      absent += 1;
      firstHead ??= head;
      const hasMoved = head > firstHead;
      if (absent >= BELIEVED_AFTER && (block !== null || hasMoved)) return reading.at;
    }
  return null;
}

/** A poll after which something of the list is named as unread takes nothing back. */
function isComplete({ poll }: ReadPoll): boolean {
  return poll.gaps.length === 0;
}

/** Those whose last message is no retraction. It may be older than the loss: the item had stopped to match before. */
function misledAt(at: Instant, messages: readonly Owed[]): string[] {
  const lastByRecipient = new Map(messages.filter((one) => one.at <= at).map((one) => [one.recipient, one]));
  return [...lastByRecipient].flatMap(([recipient, { type }]) => (type === 'alert.retracted' ? [] : [recipient]));
}

/** Not yet final when it left. A row may appear when its block is old. */
function isFollowed({ row: { block }, to }: Stay): boolean {
  return block === null || (to ?? 0) - madeAt(block) < (FINAL_DEPTH - 2) * BLOCK_MS;
}

/** Taken back while the chain has it, without proof and without three readings that do not show it. */
function wrongOf(given: Case, item: ChainItem, messages: readonly Owed[]): Verdict[] {
  const { reference, polls } = given;
  return oncePerTime(messages.filter(({ type }) => type === 'alert.retracted')).flatMap(({ at }): Verdict[] => {
    const stay = item.stays.find(({ from, to }) => from <= at && (to === null || at < to));
    if (stay === undefined || !reference.matches(stay.row)) return [];
    const before = polls.filter(({ poll }) => poll.startedAt <= at);
    const last = before.at(-1);
    if (last === undefined || wasServedOtherwise(before, reference, item.id)) return [];
    const lastSeen = polls.findLast(
      (poll) => poll.poll.startedAt <= at && poll.readings.some((reading) => has(reading, item.id)),
    );
    const block = blockOf(lastSeen, item.id) ?? stay.row.block;
    if (agreeing(before, item.id, block) >= BELIEVED_AFTER) return [];
    if (isAbsent(last, item.id, block) && isReplaced(given.logs.served, last, block, lastSeen?.until ?? 0)) return [];
    const what = `${reference.alert}: ${item.id} stands in block ${stay.row.block} and was taken back`;
    return [{ check: 'wrongly-retracted', at, watch: reference.watch, what }];
  });
}

function oncePerTime(messages: readonly Owed[]): Owed[] {
  return [...new Map(messages.map((one) => [one.at, one])).values()];
}

/** The last reading that shows it shows it so that it does not match. */
function wasServedOtherwise(polls: readonly ReadPoll[], { matches }: EventReference, id: string): boolean {
  const row = polls
    .findLast((poll) => poll.readings.some((reading) => has(reading, id)))
    ?.readings.flatMap(({ rows }) => rows)
    .findLast((one) => one.id === id);
  return row !== undefined && !matches(row);
}

/** Readings in a row, up to the last one, that cover its block without it. */
function agreeing(polls: readonly ReadPoll[], id: string, block: number | null): number {
  let count = 0;
  for (const poll of polls.toReversed())
    for (const reading of poll.readings.toReversed()) {
      if (has(reading, id)) return count;
      if (shows(reading, block) && isHeadAt(poll, block)) count += 1;
      if (count === BELIEVED_AFTER) return count;
    }
  return count;
}

function isAbsent(poll: ReadPoll, id: string, block: number | null): boolean {
  const covering = poll.readings.filter((reading) => shows(reading, block));
  return covering.length > 0 && covering.every((reading) => !has(reading, id)) && isHeadAt(poll, block);
}

/** In this poll another hash was read at its height, one that was never read before the item was last seen. */
function isReplaced(served: readonly Served[], poll: ReadPoll, block: number | null, lastSeen: Instant): boolean {
  const hashes = served.flatMap(({ path, answer, at }) =>
    path === 'blocks' && answer?.type === 'page' && at <= poll.until
      ? answer.page.rows.filter((row) => row.block === block).map(({ id }) => ({ id, at }))
      : [],
  );
  const known = new Set(hashes.filter(({ at }) => at <= lastSeen).map(({ id }) => id));
  return known.size > 0 && hashes.some(({ id, at }) => at >= poll.poll.startedAt && !known.has(id));
}

/** The whole of that block is within what was read; what waits stands above all blocks. */
function shows({ rows, isWhole, nameless, below, heights }: Reading, block: number | null): boolean {
  if (heights !== null) return nameless === 0 && block !== null && heights.from <= block && block <= heights.to;
  if (nameless > 0 || (below !== null && (block === null || block >= below))) return false;
  return isWhole || rows.some((row) => row.block !== null && (block === null || row.block < block));
}

/** Where the head is not known, nothing is known to be gone; not even what waited. */
function isHeadAt({ head }: ReadPoll, block: number | null): boolean {
  return head !== null && head >= (block ?? 0);
}

function has({ rows }: Reading, id: string): boolean {
  return rows.some((row) => row.id === id);
}

function blockOf(poll: ReadPoll | undefined, id: string): number | null {
  const row = poll?.readings.flatMap(({ rows }) => rows).findLast((one) => one.id === id);
  return row?.block ?? null;
}
