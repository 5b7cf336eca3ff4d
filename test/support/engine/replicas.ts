// An explorer of several replicas, over a sandbox: the one that answers may be behind the others.
import type { HttpAnswer } from '../../../src/explorer/http/exchange.ts';
import { type HttpTransport, requestKey } from '../../../src/explorer/http/http-transport.ts';

/** Which replica answers. */
export interface Replica {
  /** So many blocks behind the others. */
  readonly lag?: number;
  /** On another fork: from this block on its blocks are others, and nothing is in them. */
  readonly forkedAt?: number;
  /** It knows nothing of what waits. */
  readonly hidesPending?: boolean;
  /** Upgraded to a release that no longer sends this key, wherever it stood. */
  readonly without?: string;
  /** Of another chain: its head is so many blocks lower, all hashes are others, and nobody holds a coin. */
  readonly otherChain?: number;
  /** Its node answers calls of contracts otherwise. */
  readonly answersCall?: (call: Row, answer: Row) => Row;
}

export interface Replicas {
  /** From now on this one answers, for so many answers if stated; `{}` is the one that shows the sandbox as it is. */
  use(replica: Replica, answers?: number): void;
  /** What was asked so far, without the query: `blocks`, `addresses/0x…/tokens`. */
  readonly asked: readonly string[];
  over(transport: HttpTransport): HttpTransport;
}

interface Served {
  readonly head: number;
  readonly answer: HttpAnswer;
}

export type Row = Readonly<Record<string, unknown>>;

export function createReplicas(head: () => number): Replicas {
  const asked: string[] = [];
  const servedByKey = new Map<string, Served[]>();
  let replica: Replica = {};
  let left = Infinity;

  function next(): Replica {
    left -= 1;
    return left >= 0 ? replica : {};
  }

  /** A list without what this replica does not have; of anything else the answer that was given then. */
  function asSeenBy(
    { lag = 0, forkedAt = Infinity, hidesPending = false }: Replica,
    { key, target }: { readonly key: string; readonly target: string },
    now: HttpAnswer,
  ): HttpAnswer {
    const upTo = head() - lag;
    if (!/\/(?:blocks|transactions|internal-transactions)(?:\?|$)/.test(target))
      return servedByKey.get(key)?.findLast((one) => one.head <= upTo)?.answer ?? now;
    const body = JSON.parse(Buffer.concat(now.wire).toString('utf8')) as { items?: Row[] };
    const items = body.items?.filter((row) => (heightOf(row) ?? (hidesPending ? Infinity : 0)) <= upTo);
    const forked = items?.flatMap((row) => ((heightOf(row) ?? 0) < forkedAt ? [row] : forkedRow(row, forkedAt)));
    return { ...now, wire: [Buffer.from(JSON.stringify({ ...body, items: forked }))] };
  }

  return {
    asked,
    use(one, answers = Infinity) {
      replica = one;
      left = answers;
    },
    over: (transport) => ({
      async send({ target, body, where }, leftMs) {
        const one = next();
        asked.push(new URL(target).pathname.replace(/^.*\/api\/v2\//, ''));
        const answer = await transport.send({ target: atHeightOf(target, one.otherChain ?? 0), body, where }, leftMs);
        const key = requestKey({ address: target, body });
        const before = servedByKey.get(key) ?? [];
        servedByKey.set(key, before);
        if (one.otherChain !== undefined) return otherChain(answer, one.otherChain);
        if (one.without !== undefined) return withoutKey(answer, one.without);
        if (one.answersCall !== undefined) return otherCalls(answer, body, one.answersCall);
        const isOther = Object.keys(one).length > 0;
        if (isOther) return asSeenBy(one, { key, target }, answer);
        before.push({ head: head(), answer: copyOf(answer) });
        return answer;
      },
      close() {
        transport.close();
      },
    }),
  };
}

/** The memory of the other one is given back once it was looked at. */
function copyOf(answer: HttpAnswer): HttpAnswer {
  return { ...answer, wire: [Buffer.concat(answer.wire)], free: () => undefined };
}

function heightOf(row: Row): number | undefined {
  const height = row['height'] ?? row['block_number'];
  return typeof height === 'number' ? height : undefined;
}

function forkedRow(row: Row, forkedAt: number): Row[] {
  const { height, hash, parent_hash } = row;
  if (height === undefined) return [];
  return [{ ...row, hash: forkedHash(hash), parent_hash: height === forkedAt ? parent_hash : forkedHash(parent_hash) }];
}

function forkedHash(hash: unknown): string {
  return `${String(hash).slice(0, -4)}f0f0`;
}

function withoutKey(answer: HttpAnswer, name: string): HttpAnswer {
  const body: unknown = JSON.parse(Buffer.concat(answer.wire).toString('utf8'));
  const rest = JSON.stringify(body, (key, value: unknown) => (key === name ? undefined : value));
  return { ...answer, wire: [Buffer.from(rest)] };
}

function otherCalls(answer: HttpAnswer, body: string | null, change: (call: Row, answer: Row) => Row): HttpAnswer {
  if (body === null || answer.status !== 200) return answer;
  const calls = JSON.parse(body) as Row[];
  const answers = JSON.parse(Buffer.concat(answer.wire).toString('utf8')) as Row[];
  const changed = answers.map((one, i) => change(calls[i] ?? {}, one));
  return { ...answer, wire: [Buffer.from(JSON.stringify(changed))] };
}

/** What it is asked for at a height stands at another one in the sandbox. */
function atHeightOf(target: string, lower: number): string {
  return target.replace(/(?<=block_number=)\d+/, (height) => String(Number(height) + lower));
}

function otherChain(answer: HttpAnswer, lower: number): HttpAnswer {
  const text = Buffer.concat(answer.wire)
    .toString('utf8')
    .replaceAll(/0x[0-9a-f]{60}/g, `0x${'5'.repeat(60)}`);
  const change = (key: string, value: unknown): unknown => {
    if (key === 'height' || key === 'block_number') return Number(value) - lower;
    return key === 'coin_balance' ? '0' : value;
  };
  return { ...answer, wire: [Buffer.from(JSON.stringify(JSON.parse(text), change))] };
}
