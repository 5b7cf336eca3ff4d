// The two parts of a mail: text and HTML. The HTML is one table, without anything to load. Styles are inline, because
// some programs read no others; only the dark colours are in a style sheet in the head. All values pass through `html`,
// which escapes them.
import { escapeHtml } from '../../lib/untrusted.ts';
import type { Piece, FactRow } from './facts.ts';
import {
  alertText,
  COLOURS,
  detailsText,
  othersText,
  quoted,
  rowText,
  tablesApart,
  type MessageContent,
  type Link,
  type ListedAlert,
  type TextLine,
} from './content.ts';

// Addresses and hashes have no place to break, and a phone is 380 pixels wide.
const WRAP = 'overflow-wrap:anywhere;word-break:break-word';
const PAGE = 'margin:0;padding:12px;background:#f4f5f7;font:15px/1.5 sans-serif;color:#1c1e21';
const SHEET = 'width:100%;max-width:640px;margin:0 auto;background:#ffffff;border-collapse:collapse';
const WIDE = `padding:8px 14px;${WRAP}`;
const LABEL = 'padding:3px 8px 3px 14px;width:28%;color:#5f6368;font-size:13px;vertical-align:top';
const VALUE = `padding:3px 14px 3px 0;font:13px/1.5 monospace;vertical-align:top;${WRAP}`;
const TABLE = 'padding:8px 14px;max-width:0';
const PRE = 'margin:0;font:13px/1.5 monospace;overflow-x:auto';
const SMALL = `padding:8px 14px;color:#5f6368;font-size:12px;${WRAP}`;

const DARK = [
  ':root{color-scheme:light dark}',
  '@media (prefers-color-scheme:dark){',
  '.page{background:#15171a!important;color:#e6e7e9!important}',
  '.sheet{background:#1f2226!important}',
  '.quiet{color:#a3a9b0!important}',
  '.link{color:#8ab4f8!important}',
  '}',
].join('');

export function toHtml(content: MessageContent): string {
  const { subject, tone, lead, alerts, others, links, text, values, about, notes } = content;
  const left = othersText(others);
  const details = detailsText(content);
  return html`<!doctype html>
    <html lang="en" dir="ltr">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="supported-color-schemes" content="light dark" />
        <title>${subject}</title>
        <style>
          ${DARK}
        </style>
      </head>
      <body class="page" style="${PAGE}">
        <table role="presentation" class="sheet" style="${SHEET};border-top:4px solid ${COLOURS[tone]}">
          <tr>
            <td colspan="2" style="${WIDE};font-size:17px;font-weight:bold">${subject}</td>
          </tr>
          ${textRows(lead)}${alerts.map(alertRow)}${left === null ? [] : [noteRow(left)]}${links.length === 0 ? [] : [linksRow(links)]}${text.map(textRow)}${[...values, ...about].map(valueRow)}
          <tr>
            <td colspan="2" style="${WIDE}"></td>
          </tr>
          ${notes.map(noteRow)}${details === null ? [] : [noteRow(details)]}
        </table>
      </body>
    </html> `.markup;
}

function textRows(lines: readonly TextLine[]): Html[] {
  return tablesApart(lines).flatMap((part) => (part.isTable ? [tableRow(part.lines)] : part.lines.map(textRow)));
}

function textRow({ text }: TextLine): Html {
  return html`<tr>
    <td colspan="2" style="${WIDE}">${text}</td>
  </tr> `;
}

/** A wide table is scrolled: its rows must not break. */
function tableRow(lines: readonly TextLine[]): Html {
  return html`<tr>
    <td colspan="2" style="${TABLE}">
      <pre style="${PRE}">${lines.map(({ text }) => text).join('\n')}</pre>
    </td>
  </tr> `;
}

/** The colour at the side shows how severe the alert is; the words show it as well. */
function alertRow({ subject, aside, strange, tone, link }: ListedAlert): Html {
  const shown = link === null ? html`${subject}` : linkOf({ label: subject, url: link });
  const beside = strange ? html`<bdi>${aside}</bdi>` : html`${aside}`;
  return html`<tr>
    <td colspan="2" style="${WIDE};border-left:4px solid ${COLOURS[tone]}">
      ${[shown]} <span class="quiet" style="color:#5f6368;font-size:12px">${[beside]}</span>
    </td>
  </tr> `;
}

function valueRow({ label, value }: FactRow): Html {
  return html`<tr>
    <td class="quiet" style="${LABEL}">${label}</td>
    <td style="${VALUE}">${value.map(pieceOf)}</td>
  </tr> `;
}

// Isolated, so that text written from right to left cannot reorder the text beside it.
function pieceOf(piece: Piece): Html {
  return piece.strange ? html`<bdi>${quoted(piece)}</bdi>` : html`${piece.text}`;
}

function linksRow(links: readonly Link[]): Html {
  return html`<tr>
    <td colspan="2" style="${WIDE}">${links.map(separatedLink)}</td>
  </tr> `;
}

function separatedLink(link: Link, index: number): Html {
  return html`${index === 0 ? '' : ' \u00b7 '}${[linkOf(link)]}`;
}

function linkOf({ label, url }: Link): Html {
  return html`<a class="link" href="${url}" style="color:#1a5fb4">${label}</a>`;
}

function noteRow(note: string): Html {
  return html`<tr>
    <td colspan="2" class="quiet" style="${SMALL}">${note}</td>
  </tr> `;
}

interface Html {
  readonly markup: string;
}

/** Texts are escaped, pieces of markup are not. */
function html(parts: TemplateStringsArray, ...values: readonly (string | readonly Html[])[]): Html {
  const filled = values.map((value) =>
    typeof value === 'string' ? escapeHtml(value) : value.map(({ markup }) => markup).join(''),
  );
  return { markup: parts.map((part, index) => part + (filled[index] ?? '')).join('') };
}

/** The text part of a mail. Untrusted text among the facts is in “quotes”, and never begins a line. */
export function toText(content: MessageContent): string {
  const { subject, lead, alerts, others, links, text, values, about, notes } = content;
  const details = detailsText(content);
  const left = othersText(others);
  const parts = [
    [subject, ...lead.map((line) => line.text)],
    alerts.flatMap((alert) => [alertText(alert), ...(alert.link === null ? [] : [`  ${alert.link}`])]),
    left === null ? [] : [left],
    links.map(({ label, url }) => `${label}: ${url}`),
    text.map((line) => line.text),
    [...values, ...about].map(rowText),
    notes,
    details === null ? [] : [details],
  ];
  return `${parts
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n')}\n`;
}
