// Hundreds of answers, each held against the specification: every operation with its filters, its pages and its refusals, in
// one form on one chain and in the other form on another chain.
import { expect, test } from '@jest/globals';
import { CONTRACTS } from '../../src/sandbox/names.ts';
import { ANSWERS, deviations, LimitHeaders, NotFound, Unprocessable } from './schemas.ts';
import { cursorOf, join, runSandbox, type Form, type Got, type Running } from './support.ts';

type Specified = keyof typeof ANSWERS;

interface Question {
  readonly operation: Specified;
  readonly path: string;
  readonly expects: 200 | 404 | 422;
}

const NOBODY = '0x0000000000000000000000000000000000000001';
const TYPES = ['ERC-20', 'ERC-721', 'ERC-1155', 'ERC-404', 'ERC-7984', 'ERC-20,ERC-721,ERC-1155'];
const KINDS = ['token_transfer', 'contract_creation', 'contract_call', 'coin_transfer', 'token_creation'];
const METHODS = ['approve', 'transfer', 'multicall', 'mint', 'commit', 'approve,mint'];
const SIDES = ['', 'filter=to', 'filter=from'];

function questionsOf({ sandbox }: Running): Question[] {
  const addresses = [...Object.values(sandbox.addresses), CONTRACTS.router, CONTRACTS.factory, NOBODY];
  const tokens = Object.values(sandbox.tokens);
  return [
    ...legal('token', tokens, '', ['']),
    ...legal('address', addresses, '', ['']),
    ...legal('smart-contract', [sandbox.addresses.vault, sandbox.addresses.treasury, CONTRACTS.router], '', ['']),
    ...legal('address-tokens', addresses, '/tokens', ['', ...TYPES.map((type) => `type=${type}`)]),
    ...legal('address-internal-transactions', addresses, '/internal-transactions', SIDES),
    ...legal('address-transactions', addresses, '/transactions', SIDES),
    ...legal('address-token-transfers', addresses, '/token-transfers', [
      ...SIDES,
      ...TYPES.map((type) => `type=${type}`),
    ]),
    ...legal('token-transfers', tokens, '/transfers', ['']),
    ...chainWide('transactions', [
      '',
      'filter=validated',
      'filter=pending',
      'filter=pending&type=contract_call&method=approve',
      ...KINDS.map((type) => `type=${type}`),
      ...METHODS.map((method) => `method=${method}`),
    ]),
    ...chainWide('blocks', ['', 'type=block', 'type=uncle', 'type=reorg']),
    ...refused(addresses[0] ?? NOBODY),
  ];
}

function legal(operation: Specified, keys: readonly string[], list: string, queries: readonly string[]): Question[] {
  const noun = operation.startsWith('token')
    ? 'tokens'
    : operation === 'smart-contract'
      ? 'smart-contracts'
      : 'addresses';
  return keys.flatMap((key) =>
    queries.map((query) => ({ operation, path: join(`${noun}/${key}${list}`, query), expects: 200 as const })),
  );
}

function chainWide(operation: 'transactions' | 'blocks', queries: readonly string[]): Question[] {
  return queries.map((query) => ({ operation, path: join(operation, query), expects: 200 }));
}

function refused(address: string): Question[] {
  const list = `addresses/${address}`;
  const unprocessable: [Specified, string][] = [
    ['token', `tokens/${NOBODY}?type=ERC-20`],
    ['token', 'tokens/0x12'],
    ['address', `${list}?filter=to`],
    ['address', 'addresses/treasury'],
    ...['type=', 'type=ERC-9', 'type=,', 'value=x', 'page=2', 'filter=to'].map((query): [Specified, string] => [
      'address-tokens',
      `${list}/tokens?${query}`,
    ]),
    ...['filter=', 'filter=to,from', 'index=x', 'type=call', 'items_count=0'].map((query): [Specified, string] => [
      'address-internal-transactions',
      `${list}/internal-transactions?${query}`,
    ]),
    ...['filter=', 'hash=0x1', 'inserted_at=now', 'fee=-1'].map((query): [Specified, string] => [
      'address-transactions',
      `${list}/transactions?${query}`,
    ]),
    ...['filter=', 'type=', 'type=nft', 'method=', 'block_number=-1', 'limit=5'].map((query): [Specified, string] => [
      'transactions',
      `transactions?${query}`,
    ]),
    ...['type=', 'type=orphan', 'block_number=1e3', 'items_count=51', 'index=1'].map((query): [Specified, string] => [
      'blocks',
      `blocks?${query}`,
    ]),
  ];
  return [
    { operation: 'token', path: `tokens/${NOBODY}`, expects: 404 },
    ...unprocessable.map(([operation, path]) => ({ operation, path, expects: 422 as const })),
  ];
}

const SCHEMAS = { 404: NotFound, 422: Unprocessable } as const;

function check({ operation, path, expects }: Question, form: Form, got: Got): string[] {
  if (got.status !== expects) return [`${path}: ${got.status}`];
  const found = deviations(expects === 200 ? ANSWERS[operation] : SCHEMAS[expects], got.body);
  return [...found, ...headersOf(form, got)].map((deviation) => `${form} ${path}: ${deviation}`);
}

/** Limits are reported by the multichain form, on every 200; the other form is not said to have any. */
function headersOf(form: Form, { status, headers }: Got): string[] {
  const said = Object.fromEntries([...headers].filter(([name]) => name.startsWith('x-')));
  if (form === 'instance') return Object.keys(said).map((name) => `the header ${name}`);
  return status === 200 ? deviations(LimitHeaders, said) : [];
}

const MOST_PAGES = 3;

/** The page of a question and the next ones. */
async function follow(running: Running, question: Question, form: Form): Promise<string[][]> {
  const answers: string[][] = [];
  let query: string | null = '';
  while (query !== null && answers.length < MOST_PAGES) {
    const got: Got = await running.get(join(question.path, query), { form });
    answers.push(check(question, form, got));
    query = got.status === 200 ? cursorOf(got) : null;
  }
  return answers;
}

async function askEverything(seed: number, form: Form): Promise<string[][]> {
  await using running = await runSandbox({ seed, pageSize: 20 });
  const answers: string[][] = [];
  for (const question of questionsOf(running)) answers.push(...(await follow(running, question, form)));
  return answers;
}

test('no answer to any operation, filter, page or refusal differs from the specification', async () => {
  const answers = [...(await askEverything(7, 'multichain')), ...(await askEverything(8, 'instance'))];
  expect([...new Set(answers.flat())]).toEqual([]);
  expect(answers.length).toBeGreaterThan(800);
});
