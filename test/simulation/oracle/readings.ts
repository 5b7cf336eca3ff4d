// What each poll of a watch read, put together from the answers that were served.
import type { Instant, Logs, Page, Poll, Reading, ReadPoll, Served } from '../model.ts';

/** `path`: of the watch. In the order of time. */
export function readPolls(logs: Logs, watch: string, path: string): ReadPoll[] {
  const polls = logs.polls.filter((poll) => poll.watch === watch);
  const own = logs.served.filter((served) => served.path === path);
  const blocks = logs.served.filter((served) => served.path === 'blocks' && served.cursor === '');
  const blockByCursor = new Map<string, number>();
  const isLinked = linkedPagesOf(blocks);
  return polls.map((poll, n) => {
    const until = endOf(poll, polls[n + 1], logs);
    const served = within(own, poll.startedAt, until);
    const readings = readingsIn(served, blockByCursor);
    const chain = within(blocks, poll.startedAt, until);
    const linked = chain.filter(isLinked);
    const heads = {
      head: headIn([...chain, ...served]),
      linkedHead: headIn([...linked, ...served]),
      askedHead: headIn(linked),
    };
    return { poll, until, served, readings, ...heads };
  });
}

/** A poll is over when it was decided; one that never was, when the next one began. */
function endOf({ decided }: Poll, next: Poll | undefined, { span }: Logs): Instant {
  return decided?.at ?? next?.startedAt ?? span.to;
}

/** Of what is in the order of time. */
function within<T extends { readonly at: Instant }>(all: readonly T[], from: Instant, to: Instant): T[] {
  const found: T[] = [];
  for (let n = firstFrom(all, from); n < all.length; n += 1) {
    const one = all[n];
    if (one === undefined || one.at > to) break;
    found.push(one);
  }
  return found;
}

function firstFrom(all: readonly { readonly at: Instant }[], from: Instant): number {
  let [low, high] = [0, all.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((all[middle]?.at ?? Infinity) < from) low = middle + 1;
    else high = middle;
  }
  return low;
}

interface Run {
  readonly at: Instant;
  readonly below: number | null;
  readonly pages: Page[];
}

/**
 * `blockByCursor`: where the pages that were served so far ended; those of this poll are added. A poll is answered with
 * what another watch asked for in the same tick, so its pages may come in any order.
 */
function readingsIn(served: readonly Served[], blockByCursor: Map<string, number>): Reading[] {
  const runs: Run[] = [];
  for (const { answer } of served)
    // What waits stands above all blocks.
    if (answer?.type === 'page' && answer.page.next !== null)
      blockByCursor.set(answer.page.next, answer.page.rows.at(-1)?.block ?? Infinity);
  for (const { answer, cursor, at } of served) {
    if (answer?.type !== 'page') continue;
    const { page } = answer;
    const last = runs.at(-1);
    if (page.heights !== undefined) runs.push({ at, below: null, pages: [page] });
    else if (cursor !== '' && last !== undefined && goesOn(last, page, cursor)) last.pages.push(page);
    else
      runs.push({
        at,
        below: cursor === '' ? null : (blockByCursor.get(cursor) ?? highestOf(page) - 1),
        pages: [page],
      });
  }
  return runs.map(readingOf);
}

/** Who reads transactions whole asks once more for one that a page cut. */
function goesOn({ pages }: Run, { rows: [first] }: Page, cursor: string): boolean {
  const last = pages.at(-1);
  return last?.next === cursor || last?.rows.some(({ id }) => id === first?.id) === true;
}

function highestOf({ rows }: Page): number {
  return Math.max(-1, ...rows.map(({ block }) => block ?? -1));
}

function readingOf({ at, below, pages }: Run): Reading {
  return {
    at,
    below,
    rows: pages.flatMap((page) => page.rows),
    nameless: pages.reduce((sum, { nameless }) => sum + nameless, 0),
    isWhole: pages.at(-1)?.isEnd === true,
    heights: pages[0]?.heights ?? null,
  };
}

/** Which first pages of blocks show a block, or the parent of one, that an earlier one had shown; or none that could be. */
function linkedPagesOf(pages: readonly Served[]): (page: Served) => boolean {
  const hashesByHeight = new Map<number, Set<string>>();
  const knows = (height: number, hash: string | null | undefined): boolean =>
    typeof hash === 'string' && hashesByHeight.get(height)?.has(hash) === true;
  const linked = new Set<Served>();
  for (const page of pages) {
    const rows = page.answer?.type === 'page' ? page.answer.page.rows : [];
    const placed = rows.flatMap(({ id, block, facts }) => (block === null ? [] : [{ id, block, facts }]));
    const isComparable = placed.some(({ block }) => hashesByHeight.has(block) || hashesByHeight.has(block - 1));
    const isKnown = placed.some(({ id, block, facts }) => knows(block, id) || knows(block - 1, facts['parent_hash']));
    if (isKnown || !isComparable) linked.add(page);
    for (const { id, block } of placed) hashesByHeight.set(block, (hashesByHeight.get(block) ?? new Set()).add(id));
  }
  return (page) => linked.has(page);
}

/** A list shows the head by its newest row as well, and calls of contracts are asked together with the newest block. */
function headIn(answers: readonly Served[]): number | null {
  const heights = answers.flatMap(({ answer }) => {
    if (answer?.type === 'page') return answer.page.rows.map(({ block }) => block ?? 0);
    const block = answer?.facts['block'] ?? null;
    return block === null ? [] : [Number(block)];
  });
  return heights.length === 0 ? null : Math.max(...heights);
}
