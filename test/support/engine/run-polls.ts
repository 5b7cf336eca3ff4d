// What the core makes of a history of polls.
import { blankMemory, step } from '../../../src/core/step.ts';
import type { Message } from '../../../src/core/model/delivery.ts';
import type { Memory } from '../../../src/core/model/memory.ts';
import type { Decision } from '../../../src/core/model/decision.ts';
import type { Observation } from '../../../src/core/model/observation.ts';
import type { Watch } from '../../../src/core/model/watch/watch.ts';
import { stored } from './watch.ts';

export interface PollResults {
  readonly decisions: readonly Decision[];
  /** By poll: `low firing`, `call event`. */
  readonly sent: readonly (readonly string[])[];
  readonly messages: readonly Message[];
  /** By poll, without those that say that nothing changed. */
  readonly reasons: readonly (readonly string[])[];
  readonly memory: Memory;
}

/** Polls in order; memory goes through the store's JSON after each of them. */
export function runPolls(watch: Watch, polls: readonly Observation[], from = blankMemory(watch)): PollResults {
  let memory = from;
  const decisions = polls.map((poll) => {
    const decision = step(watch, memory, poll);
    memory = stored({ ...decision.memory, version: memory.version + 1 });
    return decision;
  });
  return {
    decisions,
    sent: decisions.map(({ transitions }) => transitions.map(({ message }) => wordsOf(message))),
    messages: decisions.flatMap(({ transitions }) => transitions.map(({ message }) => message)),
    reasons: decisions.map(({ reasons }) => reasons.map(({ type }) => type)),
    memory,
  };
}

/** `low firing` */
export function wordsOf({ alert, type }: Message): string {
  return `${alert} ${type.replace('alert.', '')}`;
}
