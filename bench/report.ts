// What was measured, as tables beside the goals. Nothing is asserted: absolute figures move with the machine.
import type { Measured, RunResult } from './run.ts';

export interface Goal {
  readonly what: string;
  readonly measured: number | null;
  /** Not more than this. */
  readonly target: number;
}

export function printRun({ watches, startCpu, phases, peakRssMb, stateMb, skipped, metricsMs }: RunResult): void {
  console.log(`\n${watches} watches: ${seconds(startCpu)} of CPU until it polls, ${mb(peakRssMb)} at the peak,`);
  console.log(`state file ${mb(stateMb)}, ${skipped} ticks skipped, /metrics in ${metricsMs.toFixed(0)} ms`);
  console.table(Object.fromEntries(phases.map((measured) => [measured.phase.name, columnsOf(measured)])));
}

function columnsOf({ cpu, bareCpu, cores, polls, due, late, answerToWebhook, untold, rssMb }: Measured) {
  return {
    'CPU s/1,000 polls': cpu.toFixed(2),
    'bare got': bareCpu?.toFixed(2) ?? '-',
    ratio: bareCpu === null ? '-' : (cpu / bareCpu).toFixed(2),
    cores: cores.toFixed(2),
    'polls of due': `${polls} of ${due}`,
    'late p50/p99 ms': pair(late.p50, late.p99),
    'RSS MB': rssMb.toFixed(0),
    'to webhook p50/p99 ms': pair(answerToWebhook.p50, answerToWebhook.p99),
    told: untold === 0 ? `${answerToWebhook.count}` : `${answerToWebhook.count}, ${untold} missing`,
  };
}

export function printGoals(goals: readonly Goal[]): void {
  console.table(
    goals.map(({ what, measured, target }) => ({
      goal: what,
      measured: measured === null ? '-' : Number(measured.toFixed(2)),
      'at most': target,
      met: measured === null ? '-' : measured <= target ? 'yes' : 'NO',
    })),
  );
}

export function ratioTo(bare: Measured | undefined): number | null {
  return bare === undefined || bare.bareCpu === null ? null : bare.cpu / bare.bareCpu;
}

function pair(p50: number | null, p99: number | null): string {
  return p50 === null || p99 === null ? '-' : `${p50}/${p99}`;
}

function seconds(value: number): string {
  return `${value.toFixed(2)} s`;
}

function mb(value: number): string {
  return `${value.toFixed(0)} MB`;
}
