// What stands in the place of HTTP: a request goes to one of the replicas, in process, and may come to grief on the way.
import type { HttpTransport } from '../../../src/explorer/http/http-transport.ts';
import { replyOf, type SandboxReply } from '../../../src/sandbox/answer.ts';
import type { Spoiling } from '../../../src/sandbox/faults/content.ts';
import type { VirtualTime } from './clock.ts';
import { createDraw } from '../draw.ts';
import { ANSWER_KINDS, fail } from '../faults/answers.ts';
import type { FaultField } from '../faults/field.ts';
import type { FaultKind } from '../faults/kinds.ts';
import type { Disturbance, Instant, PlannedFault, ReplicaName, Served } from '../model.ts';
import type { Replicas } from '../chain/replicas.ts';
import type { Credits } from './credits.ts';
import { cursorOf, isOfEvents, readAnswer } from '../chain/served-rows.ts';
import type { Answer } from '../model.ts';
import { askedCalls, readCalls, writtenCalls, type AskedCalls } from '../chain/served-calls.ts';
import { BASE_URL, eventsOf, PATHS } from '../rules.ts';

export interface TransportOptions {
  readonly seed: number;
  readonly time: VirtualTime;
  readonly field: FaultField;
  readonly replicas: Replicas;
  readonly credits: Credits;
  /** The next deed of the process; it may be its last, and then this never ends. */
  readonly deed: () => Promise<void>;
  readonly onServed: (served: Served) => void;
  readonly onDisturbed: (disturbance: Disturbance) => void;
}

const LAGGING: ReadonlySet<FaultKind> = new Set(['lagging-replica']);
const OTHER: ReadonlySet<FaultKind> = new Set(['other-chain']);
/** After these no request may leave for a while, whatever it asks. */
const REFUSALS: ReadonlySet<FaultKind> = new Set([
  'rate-limited',
  'unauthorized',
  'out-of-credits',
  'spurious-401',
  'spurious-402',
  'drained',
  'reset-dialect',
  'blocked',
]);
const LONGEST_REST_MS = 900_000;

export function createTransport(options: TransportOptions): HttpTransport {
  const { time, field, replicas, credits, deed, onServed, onDisturbed } = options;
  const draw = createDraw(options.seed, 'network');
  const read = createReader();

  function choose(at: Instant): { readonly name: ReplicaName; readonly behind: number } {
    if (field.lasting(OTHER, at) !== null) return { name: 'other-chain', behind: 0 };
    const lagging = field.lasting(LAGGING, at);
    if (lagging !== null && (lagging.times === 1 || draw.chance(0.5)))
      return { name: 'lagging', behind: lagging.amount };
    return { name: replicas.forkAt(at) !== null && draw.chance(0.5) ? 'fork' : 'chain', behind: 0 };
  }

  function disturb(at: Instant, path: string, fault: PlannedFault | null, name: ReplicaName): void {
    if (fault === null && name === 'chain') return;
    if (fault !== null && REFUSALS.has(fault.kind)) onDisturbed({ from: at, to: at + LONGEST_REST_MS, path: null });
    else onDisturbed({ from: at, to: time.now(), path });
  }

  return {
    async send({ target: address, body }, leftMs) {
      time.stir();
      await deed();
      const at = time.now();
      const asked = askedFor(address, body);
      const { name, behind } = choose(at);
      const ask = (target: string) => replicas.ask(name, time.now(), { target, body: body ?? undefined }, behind);
      if (draw.chance(0.1)) await time.sleep(draw.between(20, 1500));
      const fault = field.strike(ANSWER_KINDS, at, asked.path);
      const noted = { at, path: asked.path, cursor: asked.cursor, replica: name, fault: fault?.id ?? null };
      try {
        const isCharged = fault === null || !REFUSALS.has(fault.kind);
        const { says, isUnpaid } = credits.ask(asked.path, time.now(), isCharged);
        const spoiling = withCredits(spoilingOf(ask, asked.target), says);
        const right = isUnpaid ? refusal(spoiling.right) : spoiling.right;
        const reply: SandboxReply =
          fault === null ? right : await fail({ fault, path: asked.path, spoiling, time, leftMs });
        if (isUnpaid) onDisturbed({ from: at, to: at + LONGEST_REST_MS, path: null });
        const answer = answerOf(read, asked, reply);
        onServed({ ...noted, answer, restsUntil: restOf(reply, fault, time.now()), isUnpaid });
        const wire = [Buffer.from(reply.text)];
        // Who looks at them afterwards does not see them.
        const free = (): void => {
          for (const piece of wire) piece.fill(0);
        };
        return { status: reply.status, headers: headersOf(reply), wire, free };
      } catch (error) {
        onServed({ ...noted, answer: null, restsUntil: null, isUnpaid: false });
        throw error;
      } finally {
        disturb(at, asked.path, fault, name);
        await deed();
      }
    },
    close: () => undefined,
  };
}

interface Asked {
  /** Behind `/api/v2/`. */
  readonly target: string;
  readonly path: string;
  readonly cursor: string;
  /** The calls of a request that is posted; null: it is a GET. */
  readonly calls: AskedCalls | null;
}

function askedFor(address: string, body: string | null): Asked {
  if (body !== null) return askedOfLogs(body) ?? askedOfCalls(askedCalls(body));
  return { ...(address.startsWith(V2) ? askedOfLists(address) : askedOfEvents(address)), calls: null };
}

function askedOfCalls(calls: AskedCalls): Asked {
  return { target: PATHS.rpc, path: PATHS.rpc, cursor: writtenCalls(calls), calls };
}

/** Null: it is a request for calls. */
function askedOfLogs(body: string): Asked | null {
  const { method, params } = JSON.parse(body) as { method?: string; params?: readonly Record<string, string>[] };
  if (method !== 'eth_getLogs') return null;
  const { address = '', fromBlock = '', toBlock = '' } = params?.[0] ?? {};
  const to = toBlock === 'latest' ? toBlock : Number(toBlock);
  const cursor = cursorOf(Object.entries({ fromBlock: Number(fromBlock), toBlock: to })) ?? '';
  return { target: PATHS.rpc, path: eventsOf(address), cursor, calls: null };
}

const V2 = `${BASE_URL}/api/v2/`;

/** At one address for all chains, or below the chain. */
function askedOfEvents(address: string): Omit<Asked, 'calls'> {
  const params = new URLSearchParams(address.slice(address.indexOf('?') + 1));
  const rest = [...params].filter(([name]) => !['module', 'action', 'address', 'chain_id'].includes(name));
  return {
    target: `api?${params.toString()}`,
    path: eventsOf(params.get('address') ?? ''),
    cursor: cursorOf(rest) ?? '',
  };
}

function askedOfLists(address: string): Omit<Asked, 'calls'> {
  const target = address.slice(V2.length);
  const [path = '', query = ''] = target.split('?');
  const [, contract] = /^addresses\/(0x[0-9a-f]+)\/logs$/.exec(path) ?? [];
  if (contract !== undefined) {
    const rest = [...new URLSearchParams(query)].filter(([name]) => name !== 'topic');
    return { target, path: eventsOf(contract), cursor: cursorOf(rest) ?? '' };
  }
  return { target, path, cursor: cursorOf([...new URLSearchParams(query)]) ?? '' };
}

function spoilingOf(ask: (target: string) => Spoiling['right'], target: string): Spoiling {
  const [path = '', query] = target.split('?');
  return { right: ask(target), params: new Map(new URLSearchParams(query)), firstPage: () => ask(path) };
}

function withCredits(spoiling: Spoiling, left: number): Spoiling {
  const { right } = spoiling;
  return { ...spoiling, right: { ...right, headers: { ...right.headers, 'x-credits-remaining': String(left) } } };
}

function refusal({ headers }: Spoiling['right']): SandboxReply {
  return replyOf({ status: 402, headers, body: { error: 'Out of credits' } });
}

function headersOf({ headers }: SandboxReply): Record<string, string> {
  return { 'content-type': 'application/json; charset=utf-8', ...headers };
}

type Read = (asked: Omit<Asked, 'target'>, text: string) => Answer | null;

function answerOf(read: Read, asked: Asked, { status, headers, text }: SandboxReply): Answer | null {
  const isJson = headers['content-type'] === undefined;
  return status === 200 && isJson ? read(asked, text) : null;
}

/** Most answers are those of the last time: they are read once, and kept once. */
function createReader(): Read {
  const last = new Map<string, { readonly text: string; readonly cursor: string; readonly answer: Answer | null }>();
  return ({ path, cursor, calls }, text) => {
    if (calls !== null) return readCalls(calls, text);
    const known = last.get(path);
    const isSame = known?.text === text && (!isOfEvents(path) || known.cursor === cursor);
    if (known !== undefined && isSame) return known.answer;
    const answer = readAnswer(path, text, cursor);
    last.set(path, { text, cursor, answer });
    return answer;
  };
}

/** What an honest limiter in milliseconds asks for. Other dialects may be misread without harm. */
function restOf({ headers }: SandboxReply, fault: PlannedFault | null, at: Instant): Instant | null {
  if (fault?.kind === 'reset-dialect') return null;
  const isEmpty = headers['x-ratelimit-remaining'] === '0' || fault?.kind === 'rate-limited';
  const resetMs = Number(headers['x-ratelimit-reset']);
  return isEmpty && resetMs > 0 ? at + resetMs : null;
}
