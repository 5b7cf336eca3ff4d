// What happens on the chain of a run, as long as it lasts: a block each second, and now and then a purse that runs empty and
// is filled again. Each is owed to people.
import { setTimeout as pause } from 'node:timers/promises';
import { createDraw } from '../simulation/draw.ts';
import type { Tally } from '../support/crash/tally.ts';
import { careRules } from './people/config.ts';
import { hookOf } from './sinks.ts';

export interface Chain {
  readonly addresses: string;
  /** One block, and what is due with it. */
  step(): Promise<void>;
  readonly blocks: () => number;
}

/** Each runs empty once at most: what fires again and again is told otherwise. */
const PURSES = 12;
const purseOf = (n: number): string => `0x${(n + 16).toString(16).repeat(20)}`;
const STEP_MS = 1000;
/** By chance, in each step. */
const EMPTIED = 1 / 25;
const REFILLED = 1 / 70;
const FALL_EVERY = 7;
/** Longer than anybody may take to look. */
const FILLED_AFTER = 45;

export const rulesOf = (plans: number): string => `
watches:
${Array.from(
  { length: plans },
  (_, plan) => `
  - { id: head-${plan}, explorer: plan-${plan}, kind: blocks, every: 1s, notify: [${hookOf(plan)}], alerts: [{ id: block, on: new, severity: warning, title: 'block {{ height }}.' }] }
  - { id: coins-${plan}, explorer: plan-${plan}, kind: balance, of: purses_${plan}, every: 1s, notify: [${hookOf(plan)}], alerts: [{ id: low, while: balance < 1, severity: critical }] }`,
).join('')}
${careRules(plans)}  - { id: spare-0, explorer: plan-0, kind: blocks, every: 1s, notify: [${hookOf(0)}], alerts: [{ id: block, on: new, severity: info, title: 'spare {{ height }}' }] }
`;

export interface ChainOptions {
  readonly control: string;
  readonly plans: number;
  readonly seed: number;
  readonly tally: Tally;
}

export async function openChain({ control, plans, seed, tally }: ChainOptions): Promise<Chain> {
  let steps = 0;
  const draw = createDraw('purses', seed);
  const empty = new Set<number>();

  async function call(verb: string, body: object): Promise<unknown> {
    const answer = await fetch(`${control}/control/${verb}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(`${verb}: ${await answer.text()}`);
    return answer.json();
  }

  async function setBalance(purse: number, value: string, title: string): Promise<void> {
    const [whole = '', part = ''] = value.split('.');
    tally.owe(`${value}, ${title} 1\n`, [hookOf(purse % plans)]);
    await call('set-balance', { address: purseOf(purse), value: `${whole}${part.padEnd(18, '0')}` });
  }

  const fill = (purse: number, coins: number): Promise<unknown> =>
    call('set-balance', { address: purseOf(purse), value: `${coins}${'0'.repeat(18)}` });

  /** Nobody counts on how often those are empty: the oracle for people judges what is told of them. */
  async function stir(): Promise<void> {
    for (let plan = 0; plan < plans; plan += 1) {
      if (!draw.chance(empty.has(plan) ? REFILLED : EMPTIED)) continue;
      if (!empty.delete(plan)) empty.add(plan);
      await fill(PURSES + plan, empty.has(plan) ? 0 : 5);
    }
  }

  for (let purse = 0; purse < PURSES + plans; purse += 1) await fill(purse, 5);
  const purses = Array.from({ length: PURSES }, (_, n) => n);
  const hooks = Array.from({ length: plans }, (_, plan) => hookOf(plan));
  const cared = (plan: number): string => `purse_${PURSES + plan}`;
  const groupOf = (plan: number): string =>
    `purses_${plan}: [${purses
      .filter((n) => n % plans === plan)
      .map((n) => `purse_${n}`)
      .join(', ')}]`;
  return {
    addresses: `{ ${[
      ...Array.from({ length: PURSES + plans }, (_, n) => `purse_${n}: '${purseOf(n)}'`),
      ...hooks.flatMap((_, plan) => [groupOf(plan), `cared_${plan}: [${cared(plan)}]`]),
    ].join(', ')} }`,
    async step() {
      steps += 1;
      const { head } = (await call('mine', {})) as { head: number };
      tally.owe(`block ${head}.`, hooks);
      const falls = (step: number): number | null =>
        step > 0 && step % FALL_EVERY === 0 && step / FALL_EVERY <= PURSES ? step / FALL_EVERY - 1 : null;
      const [fallen, filled] = [falls(steps), falls(steps - FILLED_AFTER)];
      if (fallen !== null) await setBalance(fallen, `0.${1001 + 10 * fallen}`, 'below');
      if (filled !== null) await setBalance(filled, `5.${1001 + 10 * filled}`, 'at or above');
      await stir();
      await pause(STEP_MS);
    },
    blocks: () => steps,
  };
}
