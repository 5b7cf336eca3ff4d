// The recipients of a message, and the answers of their servers.
import type { MessageAbout, RecipientStatus, ToldMessage } from '../../query/shapes/common.ts';
import { plural } from './amount.ts';
import { html, type Html } from './html.ts';
import { icon } from './icons.ts';
import { recipientLook, recipientTag } from './states.ts';
import { timeTag, type Moment } from './time.ts';

export function recipientList(recipients: readonly RecipientStatus[], moment: Moment): Html {
  if (recipients.length === 0) return html`<p class="small quiet">Nobody is notified of it.</p>`;
  return html`<ul aria-label="Who was notified">
    ${recipients.map((one) => recipientLine(one, moment))}
  </ul>`;
}

function recipientLine(status: RecipientStatus, moment: Moment): Html {
  const [tone, name] = recipientLook(status);
  return html`<li class="${tone === 'alarm' ? 'bad' : name === 'check' ? 'good' : ''}">
    ${icon(name)}<span><b>${recipientName(status)}</b> ${progress(status, moment)}</span>
  </li>`;
}

/** `oncall@example.com`, or the channel's name if the recipient has none of its own. */
export function recipientName({ channel, recipient }: Pick<RecipientStatus, 'channel' | 'recipient'>): string {
  return recipient === '' ? channel : recipient;
}

function progress(status: RecipientStatus, moment: Moment): Html {
  const { state, accepted_at: acceptedAt, tries, next_try: nextTry } = status;
  switch (state) {
    case 'accepted':
      return html`accepted ${acceptedAt === null ? null : timeTag(acceptedAt, moment)} ${answerTag(status.answer)}`;
    case 'held':
      return heldBack(status);
    case 'given-up':
      return html`given up after ${plural(tries, 'try', 'tries')} ${answerTag(status.answer)}`;
    case 'owed':
      if (tries === 0) return html`not sent yet`;
      return html`not accepted, ${plural(tries, 'try', 'tries')} ·
      ${answerTag(status.answer)}${nextTry === null ? null : html` · next try ${timeTag(nextTry, moment)}`}`;
  }
}

const HOLDS: Readonly<Record<string, string>> = {
  acked: 'acknowledged',
  unpolled: 'its watch is not polled',
  'mute-window': 'mute window',
  cap: 'the cap is full',
};

/** `held back: silenced` */
function heldBack({ answer }: Pick<RecipientStatus, 'answer'>): Html {
  return html`held back${answer === null ? null : html`: ${HOLDS[answer] ?? answer}`}`;
}

/** The answer of a server. */
export function answerTag(answer: string | null): Html | null {
  return answer === null || answer === '' ? null : html`<q>${answer}</q>`;
}

const MESSAGES: Readonly<Record<MessageAbout, string>> = {
  firing: 'the begin',
  event: 'the event',
  repeat: 'a repeat',
  summary: 'a summary',
  corrected: 'the correction',
  reinstated: 'that it is so again',
  retracted: 'the retraction',
  resolved: 'the end',
};

/** `the end` */
export function messageName(about: MessageAbout): string {
  return MESSAGES[about];
}

/** One row of facts for each message to each recipient; of the repeats, only the last has a row. */
export function toldFacts(told: readonly ToldMessage[], moment: Moment): Html {
  const byRecipient = Map.groupBy(told, ({ channel, recipient }) => JSON.stringify([channel, recipient]));
  return html`<dl class="facts">${[...byRecipient.values()].map((own) => ownMessages(own, moment))}</dl>`;
}

function ownMessages(own: readonly ToldMessage[], moment: Moment): Html {
  const repeats = own.filter(({ about }) => about === 'repeat');
  const rows = own.filter((one) => one.about !== 'repeat' || one === repeats.at(-1));
  const name = own[0] === undefined ? '' : placeName(own[0]);
  return html`<dt>${name}</dt>
    ${rows.map((one) => {
      const words =
        one.about === 'repeat' && repeats.length > 1 ? `${repeats.length} repeats, the last` : messageName(one.about);
      return html`<dd>${recipientTag(one, html`${words} ${recipientWords(one, moment)}`)}</dd>`;
    })}`;
}

/** `oncall: oncall@example.com` */
function placeName({ channel, recipient }: Pick<RecipientStatus, 'channel' | 'recipient'>): string {
  return recipient === '' || recipient === channel ? channel : `${channel}: ${recipient}`;
}

function recipientWords({ state, accepted_at: at, tries, answer }: RecipientStatus, moment: Moment): Html {
  if (state === 'accepted') return html`accepted ${at === null ? null : timeTag(at, moment)}`;
  if (state === 'held') return heldBack({ answer });
  if (state === 'owed' && tries === 0) return html`not sent yet`;
  return html`${state === 'owed' ? 'owed' : 'given up'}, ${plural(tries, 'try', 'tries')}`;
}
