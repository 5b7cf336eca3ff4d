// The HTML part of a mail: one table, inline styles, nothing to load. Values enter through `html` alone, which escapes.
import { escapeHtml } from '../../lib/untrusted.ts';
import type { Piece, Row } from './facts.ts';
import { quoted, type MailContent } from './mail.ts';

const COLOURS: Readonly<Record<MailContent['tone'], string>> = {
  info: '#2f6fb5',
  warning: '#b26a00',
  critical: '#b3261e',
  resolved: '#2e7d32',
};

const PAGE = 'margin:0;padding:16px;background:#f4f5f7;font:14px/1.5 sans-serif;color:#1c1e21';
const SHEET = 'width:100%;max-width:640px;background:#ffffff;border-collapse:collapse';
const WIDE = 'padding:10px 16px';
const LABEL = 'padding:3px 16px;color:#5f6368;white-space:nowrap;vertical-align:top';
const VALUE = 'padding:3px 16px;word-break:break-word;font-family:monospace';
const SMALL = 'padding:10px 16px;color:#5f6368;font-size:12px';

export function toHtml(content: MailContent): string {
  const colour = COLOURS[content.tone];
  return html`<!doctype html>
    <html lang="en" dir="ltr">
      <head>
        <meta charset="utf-8" />
        <title>${content.title}</title>
      </head>
      <body style="${PAGE}">
        <table role="presentation" style="${SHEET};border-top:4px solid ${colour}">
          <tr>
            <td colspan="2" style="${WIDE}">
              <b style="font-size:17px">${content.title}</b><br /><span style="color:${colour}">${content.state}</span>
            </td>
          </tr>
          ${content.text.map(textRow)}${content.values.map(valueRow)}
          <tr>
            <td colspan="2" style="${WIDE}"></td>
          </tr>
          ${content.about.map(valueRow)} ${content.links.map(linkRow)}${content.notes.map(noteRow)}
        </table>
      </body>
    </html> `.markup;
}

function textRow(line: string): Html {
  return html`<tr>
    <td colspan="2" style="${WIDE}">${line}</td>
  </tr> `;
}

function valueRow({ label, value }: Row): Html {
  return html`<tr>
    <td style="${LABEL}">${label}</td>
    <td style="${VALUE}">${value.map(pieceOf)}</td>
  </tr> `;
}

// Isolated, so that text written from right to left cannot reorder what stands beside it.
function pieceOf(piece: Piece): Html {
  return piece.strange ? html`<bdi>${quoted(piece)}</bdi>` : html`${piece.text}`;
}

function linkRow(link: string): Html {
  return html`<tr>
    <td colspan="2" style="${WIDE}"><a href="${link}">${link}</a></td>
  </tr> `;
}

function noteRow(note: string): Html {
  return html`<tr>
    <td colspan="2" style="${SMALL}">${note}</td>
  </tr> `;
}

interface Html {
  readonly markup: string;
}

/** Texts are escaped, pieces of markup go in as they are. */
function html(parts: TemplateStringsArray, ...values: readonly (string | readonly Html[])[]): Html {
  const filled = values.map((value) =>
    typeof value === 'string' ? escapeHtml(value) : value.map(({ markup }) => markup).join(''),
  );
  return { markup: parts.map((part, index) => part + (filled[index] ?? '')).join('') };
}
