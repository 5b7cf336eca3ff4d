// A rule file in force, with one of its lines marked.
import { singleLine } from '../../../lib/untrusted.ts';
import type { RuleFileText } from '../../../query/shapes/daemon.ts';
import { counted } from '../../parts/amount.ts';
import { codeBlock } from '../../parts/code.ts';
import { html, NOTHING, type Html } from '../../parts/html.ts';
import { errorPage } from '../frame/errors.ts';
import type { PageQueries } from '../queries.ts';
import type { PageRoute } from '../route.ts';

/** A longer file is cut to this number of lines around the marked line. */
const MOST_LINES = 1000;

export function sourcePage({ ruleFile }: Pick<PageQueries, 'ruleFile'>): PageRoute {
  return {
    path: '/rules/source',
    role: 'viewer',
    nav: null,
    under: '/rules',
    async show({ query }) {
      const found = await ruleFile(query('file'));
      if (found === null) return errorPage(404, NO_SUCH_FILE);
      return { title: singleLine(found.file), main: content(found, lineIn(query('line'))) };
    },
  };
}

const NO_SUCH_FILE = html`No rule in force was read from this file. The list of <a href="/rules">rules</a> shows the
  file of each rule.`;

/** Null: no line is marked. */
function lineIn(text: string): number | null {
  return /^\d{1,7}$/.test(text) ? Number(text) : null;
}

function content({ file, text }: RuleFileText, marked: number | null): Html {
  const lines = text.replace(/\n$/, '').split('\n');
  const from = Math.max(0, Math.min((marked ?? 1) - MOST_LINES / 2, lines.length - MOST_LINES));
  const shown = lines.slice(from, from + MOST_LINES);
  const part =
    shown.length === lines.length
      ? NOTHING
      : html` Lines ${counted(from + 1)} to ${counted(from + shown.length)} of ${counted(lines.length)}.`;
  return html`<div>
      <h1 class="mono">${singleLine(file)}</h1>
      <p class="lead">This is the version in force. To change a rule, edit its file.${part}</p>
    </div>
    <div class="card">${codeBlock(shown.join('\n'), { first: from + 1, marked, label: 'The file' })}</div>`;
}
