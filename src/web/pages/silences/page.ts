// Silences: what is held back now, and the form for a new one, with what it would hold back.
import type { SilenceLists } from '../../../query/shapes/operators.ts';
import type { Interventions } from '../../api/operation.ts';
import { html, NOTHING, type Html } from '../../parts/html.ts';
import type { PageQueries } from '../queries.ts';
import type { PageRequest, PageRoute } from '../route.ts';
import { draftFrom, type Draft } from './draft.ts';
import { silenceForm } from './form.ts';
import { activeSilences, endedSilences } from './lists.ts';
import { previewSection } from './preview.ts';

export const SILENCES_PATH = '/silences';

export function silencesPage(
  { silences }: Pick<PageQueries, 'silences'>,
  { previewSilence }: Pick<Interventions, 'previewSilence'>,
): PageRoute {
  return {
    path: SILENCES_PATH,
    role: 'viewer',
    nav: 'Silences',
    async show(request) {
      const draft = draftFrom(request.query, request);
      const form =
        request.role === 'operator'
          ? html`${silenceForm(draft, request)}${await previewOf(draft, previewSilence, request)}`
          : NOTHING;
      return { title: 'Silences', main: content(await silences(), form, request) };
    },
  };
}

async function previewOf(
  draft: Draft,
  previewSilence: Interventions['previewSilence'],
  request: PageRequest,
): Promise<Html> {
  if (Object.keys(draft.matchers).length === 0) return NOTHING;
  const found = await previewSilence(draft.matchers);
  if (found.type === 'done') return previewSection(found.value, draft, request);
  const { why } = found;
  const words = why.type === 'invalid' ? why.mistakes.map(({ detail }) => detail).join('; ') : why.detail;
  return html`<div class="note warn"><div>${words}</div></div>`;
}

function content({ active, ended }: SilenceLists, form: Html, request: PageRequest): Html {
  return html`<div>
      <h1>Silences</h1>
      <p class="lead">
        A silence holds notifications back; polling goes on. What happens meanwhile is in the history, and one summary
        is sent when the silence ends.
      </p>
    </div>
    <section class="two" aria-label="Silences">
      <div class="stack">${form}</div>
      <aside class="stack" aria-label="Which there are">
        ${activeSilences(active, request)}${endedSilences(ended, request)}
      </aside>
    </section>`;
}
