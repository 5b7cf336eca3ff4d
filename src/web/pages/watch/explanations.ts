// Explains why each alert of a watch fires or not: its conditions, part by part, with the values that they read.
import type {
  AlertExplanation,
  ConditionExplanation,
  ConditionPart,
  ReadValue,
} from '../../../query/shapes/explanations.ts';
import type { WatchExplanation } from '../../../query/shapes/watches.ts';
import { counted } from '../../parts/amount.ts';
import type { CountNow } from '../../../query/shapes/common.ts';
import { textTag } from '../../parts/chain-text.ts';
import { countWords } from '../../parts/measures.ts';
import { outLink } from '../../parts/subject.ts';
import { html, joined, NOTHING, type Html } from '../../parts/html.ts';
import { answerTag, recipientName } from '../../parts/recipients.ts';
import { capital, severityTag, stateTag } from '../../parts/states.ts';
import { said } from '../../parts/said.ts';
import { timeTag, type Moment } from '../../parts/time.ts';

export function explanations({ alerts }: WatchExplanation, moment: Moment): Html {
  if (alerts.length === 0) return NOTHING;
  return html`<div>
    <div class="head"><h2>Why it fires or not</h2></div>
    <div class="card flush">${alerts.map((alert) => oneAlert(alert, moment))}</div>
  </div>`;
}

function oneAlert(alert: AlertExplanation, moment: Moment): Html {
  const { states, on, item, more_groups: more } = alert;
  const last = item === null ? NOTHING : html` Last: ${textTag(item)}`;
  return html`<div class="rule-alert">
    <p class="alert-top">${stateLine(alert, moment)}<span class="small quiet">${who(alert)}</span></p>
    <h3 class="mono">${alert.alert}</h3>
    ${on === null ? NOTHING : html`<p><code>${on}</code>.${last}</p>`}${
      states.length < 2
        ? NOTHING
        : html`<ul>
            ${states.map(({ words }) => html`<li>${said(words, moment)}</li>`)}${more === 0 ? NOTHING : html`<li>and ${counted(more)} more</li>`}
          </ul>`
    }${conditionNow(alert, moment)}${remarks(alert, moment)}
  </div>`;
}

/** The values that the alert reads and counts now, and what has to change before it fires or ends. */
export function conditionNow(alert: AlertExplanation, moment: Moment): Html {
  const { conditions, counts } = alert;
  const lines =
    conditions.length === 0
      ? NOTHING
      : html`<div class="cond">${conditions.flatMap((one) => conditionLines(one, moment))}</div>`;
  return html`${lines}${counts.map((count) => countNow(count, moment))}${needsLine(alert, moment)}`;
}

function countNow(count: CountNow, moment: Moment): Html {
  const limit = count.limit === null ? NOTHING : html`, it fires with ${counted(count.limit)}`;
  const items = count.items.map(({ at, place, page_url: page }) => {
    const words = place === '' ? 'An item' : place;
    return html`<li>${timeTag(at, moment)} ${page === null ? words : outLink(page, words)}</li>`;
  });
  return html`<p><b>${countWords(count)}</b>${limit}.</p>
    ${
      items.length === 0
        ? NOTHING
        : html`<ul class="small">
            ${items}
          </ul>`
    }`;
}

/** The state of a group that fires, otherwise of the first group. */
function stateLine({ states, severity, conditions, held_back: held }: AlertExplanation, moment: Moment): Html {
  const [first] = states;
  const firing = states.find(({ state }) => state === 'firing' || state === 'recovering');
  const { state, since } = firing ?? first ?? { state: 'not known', since: null };
  const at = since === null ? NOTHING : html` since ${timeTag(since, moment)}`;
  if (firing !== undefined) return severityTag(severity, html`${capital(severity)}, ${state}${at}`);
  if (state === 'pending') return stateTag('warn', 'clock', html`Pending${at}`);
  const isUnknown = held.length > 0 || conditions.some(({ part }) => part.truth === 'unknown');
  return isUnknown ? stateTag('blind', 'blind', 'Unknown') : stateTag('ok', 'info', html`${capital(state)}${at}`);
}

function who({ recipients, would_notify: would }: AlertExplanation): string {
  const told = recipients.map((one) => `${recipientName(one)} ${one.state === 'accepted' ? 'notified' : one.state}`);
  // Several open events of one alert may have the same recipients, so each is shown once.
  if (told.length > 0) return [...new Set(told)].join('; ');
  return would.length === 0 ? 'notifies nobody' : `would notify ${would.map(recipientName).join(', ')}`;
}

function conditionLines({ name, part, reasons }: ConditionExplanation, moment: Moment): readonly Html[] {
  const why = reasons.map(
    (reason) => html`<div class="part"><span></span><span class="reads">${said(reason, moment)}</span></div>`,
  );
  return [...partLines(part, name === 'until' ? 'until: ' : '', 0), ...why];
}

const DEEPEST = 6;

function partLines({ text, truth, reads, parts }: ConditionPart, name: string, depth: number): readonly Html[] {
  const look = truth === null ? 'unknown' : String(truth);
  const read = reads.length === 0 ? NOTHING : html`<span class="reads">${joined(reads.map(readWords), ', ')}</span>`;
  const own = html`<div class="part${depth === 0 ? '' : ' deep'}">
    <span class="truth ${look}">${truth === null ? 'not read' : look}</span><code>${name}${text}</code>${read}
  </div>`;
  return depth >= DEEPEST ? [own] : [own, ...parts.flatMap((inner) => partLines(inner, '', depth + 1))];
}

function readWords({ name, value, before, why }: ReadValue): Html {
  if (value === null) return html`${name} = unknown${why === null ? null : `: ${why}`}`;
  return html`<b>${name} = ${textTag(value)}</b>${before === null ? NOTHING : html`, before ${textTag(before)}`}`;
}

function needsLine({ needs, aim }: AlertExplanation, moment: Moment): Html {
  if (needs.length === 0 || aim === null) return NOTHING;
  return html`<p>${capital(aim)}: ${said(needs.join(', and '), moment)}.</p>`;
}

function remarks({ states, held_back: held, operators, health, messages }: AlertExplanation, moment: Moment): Html {
  const isUnhealthy = health === 'always-true' || health === 'unknown-too-long';
  const lines = [
    ...held,
    ...states.flatMap((state) => [...state.held_back, ...state.remarks]),
    ...operators,
    ...(isUnhealthy ? [`This rule is unhealthy: ${health.replaceAll('-', ' ')}.`] : []),
  ];
  const [last] = messages;
  const message =
    last === undefined
      ? NOTHING
      : html`<p class="small quiet">
          Last message: ${last.type} to ${recipientName(last)}, ${last.state} ${answerTag(last.answer)}
        </p>`;
  return html`${[...new Set(lines)].map((text) => html`<p class="small">${said(text, moment)}</p>`)}${message}`;
}
