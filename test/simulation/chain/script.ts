// All that happens on a chain, and in which order.
import { inOrder, type Change, type Command } from '../commands.ts';
import type { Instant, Span } from '../model.ts';
import { appearsAt, headAt } from './chain-model.ts';

/** Two heads for a while: some replicas follow these commands too. */
export interface Fork extends Span {
  /** It becomes the chain at the end; else it is forgotten. */
  readonly wins: boolean;
  readonly commands: readonly Change[];
}

/** All that happens on a chain. Forks follow one another. */
export interface Script {
  readonly seed: number;
  readonly start: Instant;
  readonly commands: readonly Command[];
  readonly forks: readonly Fork[];
}

/** What the chain lives through, as seen at that moment: forks that have won by then are part of it. */
export function commandsAt({ commands, forks }: Script, at: Instant): readonly Command[] {
  const won = forks.filter(({ wins, to }) => wins && to <= at);
  return won.length === 0 ? commands : inOrder([...commands, ...won.flatMap((fork) => fork.commands)]);
}

export type Moment =
  | { readonly at: Instant; readonly type: 'command'; readonly command: Command }
  | { readonly at: Instant; readonly type: 'look'; readonly id: string }
  | { readonly at: Instant; readonly type: 'fork-command'; readonly command: Command; readonly fork: Fork }
  | { readonly at: Instant; readonly type: 'fork-begins' | 'fork-ends'; readonly fork: Fork };

export function momentsOf({ commands, forks }: Script, until: Instant, freezes: readonly Span[]): Moment[] {
  const moments: Moment[] = [
    ...commands.map((command) => ({ at: command.at, type: 'command', command }) as const),
    // A transaction that waits is mined without any command.
    ...commands.flatMap((command) =>
      command.do === 'transaction' && typeof command.waits === 'number'
        ? [
            {
              at: appearsAt(headAt(command.at, freezes) + command.waits, freezes),
              type: 'look',
              id: command.id,
            } as const,
          ]
        : [],
    ),
    ...forks.flatMap((fork) => [
      { at: fork.from, type: 'fork-begins', fork } as const,
      ...fork.commands.map((command) => ({ at: command.at, type: 'fork-command', command, fork }) as const),
      { at: fork.to, type: 'fork-ends', fork } as const,
    ]),
  ];
  return moments.filter(({ at }) => at <= until).toSorted((a, b) => a.at - b.at);
}
