// An explanation as lines of text.
import type { Watch } from '../core/model/watch/watch.ts';
import { showInZone } from '../lib/time-zone.ts';
import { plainJoined, singleLine } from '../lib/untrusted.ts';
import { showRecipient, showSchedule, subjectOf } from '../rules/describe.ts';
import type { Truth } from '../core/model/ids.ts';
import type {
  Explained,
  ExplainedAlert,
  ExplainedCondition,
  ExplainedMessage,
  ExplainedPart,
  ExplainedRead,
  ExplainedState,
} from './model.ts';

/** The watch, then each of its alerts. */
export function explainLines({ watch, remarks, alerts }: Explained): string[] {
  return [
    `${watch.name}  ${watch.source}`,
    `  ${watch.kind.name}${subjectOf(watch)} on ${watch.target.explorer}, ${showSchedule(watch.schedule)}`,
    ...remarks.map((line) => `  ${line}`),
    ...alerts.flatMap((alert) => ['', ...alertLines(watch, alert)]),
  ];
}

function alertLines({ name, zone }: Watch, explained: ExplainedAlert): string[] {
  const { alert, on, item, conditions } = explained;
  return [
    `${name}/${alert.id}  ${alert.source}  ${alert.severity}`,
    ...(on === null ? [] : [`  ${on}`]),
    ...(item === null ? [] : [`  of ${item.which}: ${plainJoined(item.text)}`]),
    ...conditions.flatMap(conditionLines),
    ...factLines(explained, zone).map((line) => `  ${line}`),
  ];
}

function factLines(explained: ExplainedAlert, zone: string): string[] {
  const { states, moreGroups, heldBack, health, operators, wouldNotify, messages } = explained;
  return [
    ...(states.length === 0 ? ['state: not known'] : states.flatMap(stateLines)),
    ...(moreGroups > 0 ? [`and ${moreGroups} more groups`] : []),
    ...heldBack.map((why) => `held back: ${why}`),
    ...needLines(explained),
    ...operators,
    ...(health.is === 'ok' || health.since === null
      ? []
      : [`health: ${health.is} since ${showInZone(zone, health.since)}`]),
    labelsLine(explained),
    `would notify: ${wouldNotify.map(showRecipient).join(', ')}`,
    ...(messages.length === 0 ? ['messages so far: none stored'] : messages.map((one) => messageLine(one, zone))),
  ];
}

function stateLines({ words, heldBack, remarks }: ExplainedState): string[] {
  return [`state: ${words}`, ...heldBack.map((why) => `held back: ${why}`), ...remarks];
}

/** Joined with "and", because all of them must come true. */
function needLines({ aim, needs }: ExplainedAlert): string[] {
  return aim === null ? [] : needs.map((need, i) => `${i === 0 ? aim : 'and'.padStart(aim.length)}: ${need}`);
}

const MOST_OF_LABELS = 2000;

/** The labels that routes of the config can match: `labels: team: payments, watch: coins, alert: low, ...` */
function labelsLine({ labels }: ExplainedAlert): string {
  const all = Object.entries(labels).map(([name, value]) => `${name}: ${value}`);
  return `labels: ${singleLine(all.join(', '), MOST_OF_LABELS)}`;
}

function messageLine({ what, at, state, answer, ...to }: ExplainedMessage, zone: string): string {
  return `message: ${what} at ${showInZone(zone, at)} to ${showRecipient(to)}, ${state}${answer === null ? '' : `: ${answer}`}`;
}

/** `while false balance < 1000000`, the parts of the condition, and the values that they read. */
function conditionLines(condition: ExplainedCondition): string[] {
  const { name, reasons } = condition;
  return [
    `  ${name.padEnd('until'.length)}  ${truthText(condition.truth)}${condition.text}`,
    ...reasons.map((reason) => `      ${reason}`),
    ...linesBelow(condition, '      '),
  ];
}

function truthText(truth: Truth | null): string {
  return truth === null ? '' : String(truth).padEnd(9);
}

function linesBelow({ reads, parts }: ExplainedPart, indent: string): string[] {
  return [
    ...reads.map((read) => `${indent}${readLine(read)}`),
    ...parts.flatMap((part) => [`${indent}${truthText(part.truth)}${part.text}`, ...linesBelow(part, `${indent}    `)]),
  ];
}

/** `balance = 940,000 (before 1,200,000)` */
function readLine({ name, value, before, why }: ExplainedRead): string {
  const known = value === null ? 'unknown' : plainJoined(value);
  return `${name} = ${known}${why === null ? '' : `: ${why}`}${before === null ? '' : ` (before ${plainJoined(before)})`}`;
}
