// The values of contracts at each moment, worked out from the commands: values are set in a block, and are gone with it.
import { isPlace, type Command } from '../commands.ts';
import { appearsAt, headAt } from './chain-model.ts';
import { momentsOf, type Script } from './script.ts';
import type { Instant, Span, Step } from '../model.ts';

/** So deep are the values that are asked below the newest block. */
const CONFIRMATIONS = 12;

interface SetValue {
  readonly since: number;
  readonly value: string;
}

interface Branch {
  /** By name, the newest last. */
  readonly sets: ReadonlyMap<string, readonly SetValue[]>;
  /** The names of calls that revert. */
  readonly reverting: ReadonlySet<string>;
}

const NOTHING: Branch = { sets: new Map(), reverting: new Set() };

/** By name, and for the same as it is asked below the newest block by `deep` and the name. A call that reverts: `reverted`. */
export function valueLogOf(
  script: Script,
  until: Instant,
  freezes: readonly Span[],
): ReadonlyMap<string, readonly Step[]> {
  const steps = new Map<string, Step[]>();
  const note = ({ sets, reverting }: Branch, at: Instant): void => {
    const head = headAt(at, freezes);
    for (const [name, all] of sets) {
      noteStep(steps, name, at, reverting.has(name) ? 'reverted' : valueAt(all, head));
      noteStep(steps, `deep ${name}`, at, reverting.has(name) ? 'reverted' : valueAt(all, head - CONFIRMATIONS));
    }
  };
  let chain = NOTHING;
  let branch: Branch | null = null;
  for (const moment of inTime(script, until, freezes)) {
    const head = headAt(moment.at, freezes);
    if (moment.type === 'fork-begins') branch = chain;
    if (moment.type === 'fork-command') branch = branch && after(branch, moment.command, head);
    if (moment.type === 'fork-ends') [chain, branch] = [moment.fork.wins && branch !== null ? branch : chain, null];
    if (moment.type === 'command') {
      chain = after(chain, moment.command, head);
      branch = branch && after(branch, moment.command, head);
    }
    note(chain, moment.at);
  }
  return steps;
}

/** With the moments at which blocks appear. */
function inTime(script: Script, until: Instant, freezes: readonly Span[]) {
  const [first, last] = [headAt(script.start, freezes), headAt(until, freezes)];
  const blocks = Array.from({ length: last - first }, (_, n) => {
    return { at: appearsAt(first + 1 + n, freezes), type: 'block' } as const;
  });
  const moments = momentsOf(script, until, freezes).filter((one) => one.type !== 'command' || !isPlace(one.command));
  return [...moments, ...blocks].toSorted((a, b) => a.at - b.at);
}

function after(branch: Branch, command: Command, head: number): Branch {
  switch (command.do) {
    case 'value':
      return withSets(branch, command.of, [...(branch.sets.get(command.of) ?? []), { since: head, value: command.to }]);
    case 'reverts': {
      const others = [...branch.reverting].filter((name) => name !== command.of);
      return { ...branch, reverting: new Set(command.isSo ? [...others, command.of] : others) };
    }
    case 'reorganise': {
      if (command.isRemined) return branch;
      const from = head - command.blocks + 1;
      const left = [...branch.sets].map(([name, all]) => [name, all.filter(({ since }) => since < from)] as const);
      return { ...branch, sets: new Map(left) };
    }
    default:
      return branch;
  }
}

function withSets(branch: Branch, name: string, all: readonly SetValue[]): Branch {
  return { ...branch, sets: new Map([...branch.sets, [name, all]]) };
}

function valueAt(all: readonly SetValue[], height: number): string | null {
  return all.findLast(({ since }) => since <= height)?.value ?? null;
}

function noteStep(steps: Map<string, Step[]>, name: string, at: Instant, value: string | null): void {
  const known = steps.get(name) ?? [];
  if (value !== null && known.at(-1)?.value !== value) steps.set(name, [...known, { at, value }]);
}
