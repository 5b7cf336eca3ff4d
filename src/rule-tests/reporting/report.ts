// The report of a test: one line when it passed, polls and messages beside the expectation when it failed.
import { formatDuration } from '../../lib/durations.ts';
import { typeAt, valueAt } from '../../core/values/fields.ts';
import type { AlertRule, ConditionAlert, Watch } from '../../core/model/watch/watch.ts';
import type { Reason } from '../../core/model/decision.ts';
import { REASON_WORDS } from '../../core/model/quality/reason-words.ts';
import { isHeadStale } from '../../core/poll.ts';
import { ours } from '../../notifiers/rendering/wording.ts';
import { compare, stateOf, textOf, type ComparedLine } from './compare.ts';
import type { Expected, RuleTest } from '../model.ts';
import type { PollResult, RuleTestRun, SentMessage } from '../run-watch.ts';
import { subjectOf } from '../subject.ts';
import { show } from './show.ts';

export interface TestResult {
  readonly test: RuleTest;
  readonly isOk: boolean;
  /** The reason why it failed; empty when it passed. */
  readonly details: readonly string[];
  /** The messages that were sent as expected. */
  readonly output: readonly string[];
}

/** Compares a run with its expectations. */
export function resultOf(test: RuleTest, run: RuleTestRun): TestResult {
  const lines = compare(test, run);
  const isOk = run.broken === null && lines.every(isRight);
  const output = lines.flatMap((line) => (line.type === 'as-expected' ? [line.expected.alert] : []));
  return { test, isOk, details: isOk ? [] : timeline(test, run, lines), output };
}

/** `ok      rules/treasury.test.yaml:4  a dip shorter than two minutes is not said` */
export function headline({ isOk, test }: TestResult): string {
  return `${isOk ? 'ok    ' : 'FAILED'}  ${test.file}:${test.line}  ${show(test.name)}`;
}

function isRight(line: ComparedLine): boolean {
  return line.type === 'as-expected' && line.differences.length === 0;
}

/** Polls and messages in order of time. `+` was sent and not expected, `-` expected and not sent, `!` differs. */
function timeline(test: RuleTest, run: RuleTestRun, lines: readonly ComparedLine[]): string[] {
  const moments = 'report' in test ? test.rows : test.polls;
  const width = Math.max(...moments.map(({ offset }) => offset.length));
  const rows = moments.flatMap((poll, i) => {
    const ran = run.polls[i];
    const here = lines.filter((line) => atOf(line) === poll.at);
    return [
      `  ${poll.offset.padEnd(width)}  saw ${inputOf(ran, poll.shown)}`,
      ...here.flatMap((line) =>
        lineTexts(line, test, ran).map((text) => `${markOf(line)} ${' '.repeat(width)}  ${text}`),
      ),
    ];
  });
  const broken = run.broken === null ? [] : [`! ${ours(run.broken)}`];
  const { type, name, source } = subjectOf(test);
  return [`${type} ${name}, ${source}`, ...rows, ...broken];
}

function atOf(line: ComparedLine): number {
  return line.type === 'missing' ? line.expected.at : line.sent.poll.at;
}

function inputOf(ran: PollResult | undefined, shown: string): string {
  if (ran?.observation.type !== 'missed' || shown.startsWith('missed')) return shown;
  return `${shown}: missed (${ran.observation.reason}), ${ours(ran.observation.detail)}`;
}

function markOf(line: ComparedLine): string {
  if (isRight(line)) return ' ';
  return { 'as-expected': '!', unexpected: '+', missing: '-' }[line.type];
}

function lineTexts(line: ComparedLine, test: RuleTest, ran: PollResult | undefined): string[] {
  switch (line.type) {
    case 'as-expected':
      return [`says ${wordsOf(line.sent)}`, ...line.differences.map(indented)];
    case 'unexpected':
      return [`unexpected: ${wordsOf(line.sent)}`, ...textOf(line.sent.message).split('\n').map(indented)];
    case 'missing':
      return [
        `missing: ${line.expected.alert} ${line.expected.state}, expected in line ${line.expected.line}`,
        ...whyNothingSent(line.expected, test, ran).map((text) => indented(`silent: ${text}`)),
      ];
  }
}

function indented(text: string): string {
  return `    ${text}`;
}

function wordsOf({ message, to }: SentMessage): string {
  return `${message.alert} ${stateOf(message)}, ${message.severity}, to ${to.map(ours).join(', ')}: ${ours(message.title)}`;
}

/** The reasons why no message was sent: the poll was missed, or the reasons of the decision for this alert. */
function whyNothingSent({ alert: id }: Expected, test: RuleTest, ran: PollResult | undefined): string[] {
  if ('report' in test) return [NOT_DUE];
  const { watch } = test;
  if (ran === undefined) return ['this poll was not reached'];
  const { observation, decision } = ran;
  if (observation.type === 'missed') return [`the poll was missed (${observation.reason})`];
  const alert = watch.alerts.find((one) => one.id === id);
  const reasons = decision.reasons.flatMap((reason) => reasonOf(reason, id, { alert, watch, ran }) ?? []);
  const partial = observation.partial === null ? [] : [`the reading was partial: ${ours(observation.partial)}`];
  const found = [...new Set([...reasons, ...partial])];
  return found.length > 0 ? found : [NOTHING];
}

const NOT_DUE =
  'the report is not due, or waits up to five minutes until all of its watches are known; the first row is its beginning';
const NOTHING = 'nothing new was noticed that the alert is about';

interface ExplainedPoll {
  readonly alert: AlertRule | undefined;
  readonly watch: Watch;
  readonly ran: PollResult;
}

function reasonOf(reason: Reason, id: string, output: ExplainedPoll): string | null {
  if (reason.type === 'note') return ours(reason.text);
  if (reason.type !== 'baseline') return reason.alert === id ? explained(reason.type, output) : null;
  if (output.alert === undefined || output.alert.type === 'condition') return null;
  return `this is the baseline: ${reason.items} there, ${reason.matching[id] ?? 0} would have matched`;
}

function explained(type: keyof typeof REASON_WORDS, { alert, watch, ran }: ExplainedPoll): string {
  const words = type === 'told' ? 'the message of another item was sent' : `${type}: ${REASON_WORDS[type]}`;
  if (type === 'unknown' && alert?.type === 'condition') return `${words}${unknownFields(alert, watch, ran)}`;
  // A gap between polls counts as at most three intervals, as after missed polls.
  const interval = formatDuration(watch.schedule.intervalMs);
  const counted = `; from poll to poll at most three intervals of ${interval} count`;
  return `${words}${type === 'still-pending' || type === 'still-recovering' ? counted : ''}`;
}

function unknownFields(alert: ConditionAlert, { kind }: Watch, { decision, observation }: PollResult): string {
  if (observation.type === 'seen' && isHeadStale(observation))
    return ': the head of the chain stands still, so the values may be old';
  const { now } = decision;
  const fields = alert.while.reads.filter((path) => typeAt(kind.fields, path) !== undefined);
  const unknown = now === null ? fields : fields.filter((path) => valueAt(now, path) === undefined);
  if (unknown.length > 0) return `: not known ${unknown.join(', ')}`;
  return alert.while.windows.length > 0 ? ': the history does not reach that far back yet' : '';
}
