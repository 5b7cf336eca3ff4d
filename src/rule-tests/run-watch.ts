// Runs a test of a watch: its polls use the daemon's own `poll` and `step`, and the messages are collected.
import type { Message } from '../core/model/delivery.ts';
import type { Labels } from '../core/model/ids.ts';
import { labelsOf } from '../core/model/watch/identity.ts';
import type { Memory } from '../core/model/memory.ts';
import type { Decision } from '../core/model/decision.ts';
import type { Observation } from '../core/model/observation.ts';
import { blankMemory, step } from '../core/step.ts';
import { upToHead } from '../core/chain/tick-chain.ts';
import type { AlertRule } from '../core/model/watch/watch.ts';
import type { Route } from '../dispatch/model.ts';
import { groupOf } from '../dispatch/group.ts';
import { routingOf } from '../dispatch/policy/match.ts';
import { poll } from '../engine/polling/observe.ts';
import { MissingAnswer } from './answers.ts';
import type { WatchTest, WrittenMoment, WrittenPoll } from './model.ts';
import { createScriptedExplorer } from './scripted-explorer.ts';

/** One message, and the channels that it goes to. */
export interface SentMessage {
  readonly poll: WrittenMoment;
  readonly message: Message;
  readonly to: readonly string[];
  /** Labels of the group that the alert belongs to, if its channel makes groups. */
  readonly group: Labels;
}

export interface PollResult {
  readonly poll: WrittenPoll;
  readonly observation: Observation;
  readonly decision: Decision;
}

export interface RuleTestRun {
  readonly polls: readonly PollResult[];
  readonly sent: readonly SentMessage[];
  /** The reason why the run stopped: an answer is missing, or there is a defect; null when it reached the end. */
  readonly broken: string | null;
}

/** Never rejects: the reason of a failure is part of the result. */
export async function runWatchTest(test: WatchTest): Promise<RuleTestRun> {
  const { watch } = test;
  const explorer = createScriptedExplorer(watch);
  const results: PollResult[] = [];
  let memory = startOf(test);
  try {
    for (const one of test.polls) {
      const start = memory;
      const judged = await poll(watch, start, explorer.readerFor(one), (seen) => step(watch, start, seen));
      memory = judged.decision.memory;
      results.push({ poll: one, ...judged });
    }
  } catch (error) {
    return { polls: results, sent: sentIn(test, results), broken: whyBroken(error, test.polls[results.length]) };
  }
  return { polls: results, sent: sentIn(test, results), broken: null };
}

/** The memory before the first poll. Without a baseline, an empty list counts as read one interval earlier. */
function startOf({ watch, isWithoutBaseline, polls }: WatchTest): Memory {
  const blank = blankMemory(watch);
  if (!isWithoutBaseline) return blank;
  const at = (polls[0]?.at ?? 0) - watch.schedule.intervalMs;
  const seen = watch.kind.script.synthesize(watch.target, { rows: [] }, null);
  return step(watch, blank, { type: 'seen', at, paceMs: 0, head: null, chain: upToHead(0), seen, partial: null })
    .memory;
}

function sentIn(test: WatchTest, results: readonly PollResult[]): SentMessage[] {
  const groups = new Map(test.watch.alerts.map((alert) => [alert.id, groupLabels(test, alert)]));
  return results.flatMap((result) =>
    sentAt(result).map((sent) => ({ ...sent, group: groups.get(sent.message.alert) ?? {} })),
  );
}

function groupLabels({ watch, routes }: WatchTest, alert: AlertRule): Labels {
  return labelsOfGroup(routes, labelsOf(watch, alert));
}

/** The group by the routes alone: it is unknown here how each channel groups. */
export function labelsOfGroup(routes: readonly Route[], labels: Labels): Labels {
  const routing = routingOf(routes, null, labels);
  return groupOf({ channel: '', recipient: '' }, 'group', { key: '', labels }, routing).labels;
}

function sentAt({ poll, decision }: PollResult): Omit<SentMessage, 'group'>[] {
  return decision.transitions.map(({ message, notify }) => ({ poll, message, to: notify.toSorted() }));
}

/** The reason why a run stopped at that row. */
export function whyBroken(error: unknown, poll: WrittenMoment | undefined): string {
  const where = poll === undefined ? '' : `at ${poll.offset}: `;
  if (error instanceof MissingAnswer) return `${where}${error.message}`;
  return `${where}a defect: ${error instanceof Error ? error.message : String(error)}`;
}
