// When a report is due, whatever the clock does.
import { expect, test } from '@jest/globals';
import { loadConfig } from '../../../src/config/config.ts';
import { formatProblems } from '../../../src/config/problem.ts';
import type { Memory } from '../../../src/core/model/memory.ts';
import type { Report } from '../../../src/core/reports/model.ts';
import { readMember } from '../../../src/core/reports/reading.ts';
import { decideReport, turnOf } from '../../../src/core/reports/step.ts';
import { notifiers } from '../../../src/notifiers/index.ts';
import { loadRules } from '../../../src/rules/load.ts';
import { kinds } from '../../../src/watches/index.ts';

const CONFIG = `
explorers: { chain: { form: sandbox } }
addresses: { treasury: 0x47ac0Fb4F2D84898e4D9E7b4DaB3C24507a6D503 }
channels: { screen: { type: log } }
rules: [rules.yaml]
`;

function reportAt(cron: string, zone = 'UTC'): Report {
  const { config, problems } = loadConfig('config.yaml', { env: {}, readFile: () => CONFIG, notifiers });
  if (config === null) throw new Error(formatProblems(problems));
  const text = `watches: [{ id: coins, kind: balance, of: treasury }]
reports: [{ id: daily, cron: '${cron}', zone: ${zone}, watches: [coins], values: [balance], total: balance }]
`;
  const rules = loadRules(config, [{ file: 'rules.yaml', text }], { kinds });
  const [report] = rules.reports;
  if (report === undefined) throw new Error(formatProblems(rules.problems));
  return report;
}

/** The daemon looks at these times; those at which it told the report, with the keys. */
function toldAt(times: readonly string[], reportOf = (_time: string): Report => EIGHT): [time: string, key: string][] {
  let memory: Memory | undefined;
  return times.flatMap((time) => {
    const [report, at] = [reportOf(time), Date.parse(time)];
    const turn = turnOf(report, memory, at);
    const members = report.members.map((watch) =>
      readMember(report, { watch, memory: undefined, past: new Map() }, at),
    );
    const decision = decideReport(report, memory, { turn, members, at });
    memory = decision?.memory ?? memory;
    return (decision?.transitions ?? []).map(({ message }): [string, string] => [time, message.key]);
  });
}

const EIGHT = reportAt('0 8 * * *');
const day = (date: number, time: string): string => `2026-01-${String(date).padStart(2, '0')}T${time}Z`;

test('each time of the cron has a key of its own', () => {
  const told = toldAt([
    day(1, '07:00'),
    day(1, '08:00'),
    day(1, '08:05'),
    day(1, '09:00'),
    day(2, '08:06'),
    day(2, '08:11'),
  ]);
  expect(told.map(([time]) => time)).toEqual([day(1, '08:05'), day(2, '08:11')]);
  expect(new Set(told.map(([, key]) => key)).size).toBe(2);
});

test('a clock that is set back by minutes tells no time twice', () => {
  const times = [day(1, '07:00'), day(1, '08:00'), day(1, '08:05'), day(1, '07:55'), day(1, '08:00'), day(1, '08:06')];
  expect(toldAt(times).map(([time]) => time)).toEqual([day(1, '08:05')]);
});

test('a clock that was years ahead leaves no silence behind', () => {
  const ahead = ['2030-01-01T09:00Z', '2030-01-01T09:05Z'];
  const times = [day(1, '07:00'), ...ahead, day(1, '07:10'), day(1, '08:00'), day(1, '08:05')];
  expect(toldAt(times).map(([time]) => time)).toEqual(['2030-01-01T09:05Z', day(1, '08:05')]);
});

test('a clock that is set back while balances are waited for does not prolong the wait', () => {
  const times = [day(1, '07:00'), day(1, '09:00'), day(1, '08:30'), day(1, '08:35')];
  expect(toldAt(times).map(([time]) => time)).toEqual([day(1, '08:35')]);
});

test('another cron begins with its next time, and one in another zone too', () => {
  const six = reportAt('0 6 * * *');
  const inTokyo = reportAt('0 8 * * *', 'Asia/Tokyo');
  for (const changed of [six, inTokyo]) {
    const times = [day(1, '05:00'), day(1, '07:00'), day(1, '07:05'), day(1, '07:10')];
    expect(toldAt(times, (time) => (time === day(1, '05:00') ? EIGHT : changed))).toEqual([]);
  }
  const after = [day(1, '05:00'), day(1, '07:00'), day(2, '06:00'), day(2, '06:05')];
  expect(toldAt(after, (time) => (time === day(1, '05:00') ? EIGHT : six)).map(([time]) => time)).toEqual([
    day(2, '06:05'),
  ]);
});
