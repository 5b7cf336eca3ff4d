// Runs a test of a watch or of a report. The watches of a report are polled as written, and after each row the report
// is decided as the daemon does.
import type { Memory } from '../core/model/memory.ts';
import type { WatchId } from '../core/model/ids.ts';
import type { Watch } from '../core/model/watch/watch.ts';
import { readMember } from '../core/reports/reading.ts';
import { decideReport, turnOf } from '../core/reports/step.ts';
import { blankMemory, step } from '../core/step.ts';
import { poll } from '../engine/polling/observe.ts';
import type { ReportRow, ReportTest, RuleTest, WrittenPoll } from './model.ts';
import { labelsOfGroup, runWatchTest, whyBroken, type RuleTestRun, type SentMessage } from './run-watch.ts';
import { createScriptedExplorer, type ScriptedExplorer } from './scripted-explorer.ts';

/** Never rejects: the reason of a failure is part of the result. */
export function runRuleTest(test: RuleTest): Promise<RuleTestRun> {
  return 'report' in test ? runReportTest(test) : runWatchTest(test);
}

async function runReportTest(test: ReportTest): Promise<RuleTestRun> {
  const run = new ReportRun(test);
  const sent: SentMessage[] = [];
  for (const row of test.rows) {
    try {
      sent.push(...(await run.row(row)));
    } catch (error) {
      return { polls: [], sent, broken: whyBroken(error, row) };
    }
  }
  return { polls: [], sent, broken: null };
}

class ReportRun {
  readonly #test: ReportTest;
  readonly #explorers = new Map<WatchId, ScriptedExplorer>();
  readonly #memories = new Map<WatchId, Memory>();
  #memory: Memory | undefined;

  constructor(test: ReportTest) {
    this.#test = test;
    for (const watch of test.report.members) this.#explorers.set(watch.id, createScriptedExplorer(watch));
  }

  async row(row: ReportRow): Promise<SentMessage[]> {
    for (const { watch, poll: written } of row.polls) await this.#poll(watch, written);
    const { report, routes } = this.#test;
    const { at } = row;
    const turn = turnOf(report, this.#memory, at);
    const members = report.members.map((watch) =>
      readMember(report, { watch, memory: this.#memories.get(watch.id), past: new Map() }, at),
    );
    const decision = decideReport(report, this.#memory, { turn, members, at });
    this.#memory = decision?.memory ?? this.#memory;
    return (decision?.transitions ?? []).map(({ message, labels, notify }) => ({
      poll: row,
      message,
      to: notify.toSorted(),
      group: labelsOfGroup(routes, labels),
    }));
  }

  async #poll(watch: Watch, written: WrittenPoll): Promise<void> {
    const explorer = this.#explorers.get(watch.id);
    if (explorer === undefined) return;
    const start = this.#memories.get(watch.id) ?? blankMemory(watch);
    const judged = await poll(watch, start, explorer.readerFor(written), (seen) => step(watch, start, seen));
    this.#memories.set(watch.id, judged.decision.memory);
  }
}
