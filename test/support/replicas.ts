// An explorer of several replicas, over a sandbox: the one that answers may be behind the others.
import type { Answer } from '../../src/explorer/http/exchange.ts';
import type { HttpTransport } from '../../src/explorer/http/http-transport.ts';

export interface Replicas {
  /** From now on a replica answers that is so many blocks behind. */
  lag(blocks: number): void;
  /** What was asked so far, without the query: `blocks`, `addresses/0x…/tokens`. */
  readonly asked: readonly string[];
  over(door: HttpTransport): HttpTransport;
}

interface Served {
  readonly head: number;
  readonly answer: Answer;
}

type Row = Readonly<Record<string, unknown>>;

export function createReplicas(head: () => number): Replicas {
  const asked: string[] = [];
  const servedByTarget = new Map<string, Served[]>();
  let behind = 0;

  /** A list without what came later; of anything else the answer that was given then. */
  function asOf(upTo: number, target: string, now: Answer): Answer {
    const body = JSON.parse(Buffer.concat(now.wire).toString('utf8')) as { items?: Row[] };
    if (!/\/(?:blocks|transactions|internal-transactions)(?:\?|$)/.test(target))
      return servedByTarget.get(target)?.findLast((one) => one.head <= upTo)?.answer ?? now;
    const items = body.items?.filter((row) => (heightOf(row) ?? 0) <= upTo);
    return { ...now, wire: [Buffer.from(JSON.stringify({ ...body, items }))] };
  }

  return {
    asked,
    lag(blocks) {
      behind = blocks;
    },
    over: (door) => ({
      async get(target, where, leftMs) {
        asked.push(new URL(target).pathname.replace(/^.*\/api\/v2\//, ''));
        const answer = await door.get(target, where, leftMs);
        const before = servedByTarget.get(target) ?? [];
        servedByTarget.set(target, before);
        if (behind > 0) return asOf(head() - behind, target, answer);
        before.push({ head: head(), answer });
        return answer;
      },
      close() {
        door.close();
      },
    }),
  };
}

function heightOf(row: Row): number | undefined {
  const height = row['height'] ?? row['block_number'];
  return typeof height === 'number' ? height : undefined;
}
