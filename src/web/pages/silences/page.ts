// The form for a silence, with what it would hold back.
import type { Interventions } from '../../api/operation.ts';
import { html, NOTHING, type Html } from '../../parts/html.ts';
import type { PageRequest, PageRoute } from '../route.ts';
import { draftFrom, type Draft } from './draft.ts';
import { silenceForm } from './form.ts';
import { previewSection } from './preview.ts';

export const SILENCES_PATH = '/silences';

export function silencesPage({ previewSilence }: Pick<Interventions, 'previewSilence'>): PageRoute {
  return {
    path: SILENCES_PATH,
    role: 'operator',
    nav: null,
    async show(request) {
      const draft = draftFrom(request.query, request);
      return { title: 'New silence', main: content(draft, await previewOf(draft, previewSilence, request), request) };
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

function content(draft: Draft, preview: Html, request: PageRequest): Html {
  return html`<div>
      <h1>New silence</h1>
      <p class="lead">
        A silence holds notifications back; polling goes on. What happens meanwhile is in the history, and one summary
        is sent when the silence ends.
      </p>
    </div>
    <div class="stack">${silenceForm(draft, request)}${preview}</div>`;
}
