// Answers of the sizes that real explorers send: a token of 1 kB, 50 internal transactions of 40 kB, holdings of 60 kB.
// Their rows are those of the sandbox, with names of their own.
import { createHash } from 'node:crypto';
import { systemClock } from '../src/lib/clock.ts';
import { createSandbox } from '../src/sandbox/sandbox.ts';
import { serveSandbox } from '../src/sandbox/server.ts';
import { LISTS, type ListName } from './protocol.ts';

type Row = Readonly<Record<string, unknown>>;

/** Distinct answers of each list. */
const VARIANTS = 300;
const BYTES: Readonly<Record<ListName, number>> = { token: 1000, holdings: 60_000, 'internal-transactions': 40_000 };
const START_BLOCK = 10_000;
const SEPARATOR = Buffer.from(',');
const [BEFORE_ROWS, AFTER_ROWS] = [Buffer.from('{"items":['), Buffer.from('],"next_page_params":null}')];

/** What one client sees at one path. */
export interface ServedList {
  body(): Buffer;
  /** One row is new or another; returns the hash of the transaction that is new. */
  change(isTold: boolean): string | null;
}

export type ListMaker = (name: ListName, path: string) => ServedList;

/** Makes lists: the n-th of each name begins like the n-th variant. */
export async function createListMaker(): Promise<ListMaker> {
  const templates = await readTemplates();
  const made: Record<ListName, number> = { token: 0, holdings: 0, 'internal-transactions': 0 };
  const variants = Object.fromEntries(
    LISTS.map((name) => [
      name,
      Array.from({ length: VARIANTS }, (_, n) => variantOf(name, templates[name], `${name} ${n}`)),
    ]),
  ) as Readonly<Record<ListName, Variant[]>>;
  return (name, path) => {
    const variant = variants[name][made[name]++ % VARIANTS];
    if (variant === undefined) throw new Error(`no rows of ${name}`);
    return createServedList(name, path, variant);
  };
}

interface Variant {
  readonly template: Row;
  readonly rows: readonly Buffer[];
  readonly body: Buffer;
}

function createServedList(
  name: ListName,
  path: string,
  { template, rows: first, body: firstBody }: Variant,
): ServedList {
  let rows = first;
  let changes = 0;
  return {
    body: () => (changes === 0 ? firstBody : bodyOf(name, rows)),
    change(isTold) {
      changes += 1;
      const text = `${path} ${changes}`;
      if (name !== 'internal-transactions') {
        const at = changes % rows.length;
        rows = rows.with(at, Buffer.from(JSON.stringify(withAmount(name, rowIn(rows, at), changes))));
        return null;
      }
      const call = newCall(template, text, changes, isTold);
      rows = [Buffer.from(JSON.stringify(call)), ...rows.slice(0, -1)];
      return call.transaction_hash;
    },
  };
}

function variantOf(name: ListName, templates: readonly Row[], text: string): Variant {
  const rows = templates.map((row, i) => Buffer.from(JSON.stringify(renamed(name, row, `${text} ${i}`))));
  const fitting = rows.filter((_row, i) => i === 0 || bodyOf(name, rows.slice(0, i + 1)).length <= BYTES[name]);
  return { template: templates[0] ?? {}, rows: fitting, body: bodyOf(name, fitting) };
}

/** A row of another chain: the same but for what identifies it. */
function renamed(name: ListName, row: Row, text: string): Row {
  switch (name) {
    case 'token':
      return { ...row, address_hash: hex(text, 40), icon_url: `https://icons.example/${hex(text, 64).repeat(8)}.png` };
    case 'holdings':
      return { ...row, token: { ...(row['token'] as Row), address_hash: hex(text, 40) } };
    case 'internal-transactions':
      return { ...row, transaction_hash: hex(text, 64) };
  }
}

function withAmount(name: 'token' | 'holdings', row: Row, add: number): Row {
  const field = name === 'token' ? 'total_supply' : 'value';
  return { ...row, [field]: `${BigInt(String(row[field])) + BigInt(add)}` };
}

function newCall(template: Row, text: string, n: number, isTold: boolean) {
  const timestamp = new Date().toISOString();
  return {
    ...template,
    transaction_hash: hex(text, 64),
    block_number: START_BLOCK + n,
    success: !isTold,
    timestamp,
  };
}

function rowIn(rows: readonly Buffer[], at: number): Row {
  return JSON.parse(rows[at]?.toString() ?? '{}') as Row;
}

function bodyOf(name: ListName, rows: readonly Buffer[]): Buffer {
  const separated = rows.flatMap((row, i) => (i === 0 ? [row] : [SEPARATOR, row]));
  return Buffer.concat(name === 'token' ? separated : [BEFORE_ROWS, ...separated, AFTER_ROWS]);
}

function hex(text: string, digits: number): string {
  return `0x${createHash('sha256').update(text).digest('hex').slice(0, digits)}`;
}

async function readTemplates(): Promise<Readonly<Record<ListName, readonly Row[]>>> {
  const sandbox = createSandbox({ seed: 7, blockTimeMs: 'manual', clock: systemClock, startBlock: START_BLOCK });
  const served = await serveSandbox(sandbox);
  const ask = async (path: string): Promise<Row> => (await (await fetch(`${served.url}/api/v2/${path}`)).json()) as Row;
  const rowsOf = async (path: string): Promise<Row[]> => (await ask(path))['items'] as Row[];
  const { collector, vault } = sandbox.addresses;
  const templates = {
    token: [await ask(`tokens/${sandbox.tokens.USDC}`)],
    holdings: await rowsOf(`addresses/${collector}/tokens`),
    'internal-transactions': await rowsOf(`addresses/${vault}/internal-transactions`),
  };
  await served.close();
  return templates;
}
