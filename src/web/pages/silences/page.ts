// Silences: the present ones, and the form for a new one with its preview.
import type { SilenceLists } from '../../../query/shapes/operators.ts';
import { html, NOTHING, type Html } from '../../parts/html.ts';
import type { PageQueries } from '../queries.ts';
import { SILENCES_PATH } from '../paths.ts';
import type { PageRequest, PageRoute } from '../route.ts';
import { draftFrom, type Draft } from './draft.ts';
import { silenceForm } from './form.ts';
import { activeSilences, endedSilences } from './lists.ts';
import { previewSection } from './preview.ts';

type Wanted = Pick<PageQueries, 'silences' | 'previewSilence'>;

export function silencesPage({ silences, previewSilence }: Wanted): PageRoute {
  return {
    path: SILENCES_PATH,
    role: 'viewer',
    nav: 'Silences',
    async show(request) {
      const draft = draftFrom(request.query, request);
      const form =
        request.role === 'operator'
          ? html`${silenceForm(draft, request)}${await previewOf(draft, previewSilence, request)}`
          : null;
      return { title: 'Silences', main: content(await silences(), form, request) };
    },
  };
}

async function previewOf(draft: Draft, previewSilence: Wanted['previewSilence'], request: PageRequest): Promise<Html> {
  if (Object.keys(draft.matchers).length === 0) return NOTHING;
  const found = await previewSilence(draft.matchers);
  if ('alerts' in found) return previewSection(found, draft, request);
  const words = found.map(({ pointer, detail }) => `${labelIn(pointer)} ${detail}`).join('; ');
  return html`<div class="note warn"><div>${words}</div></div>`;
}

/** `labelIn('/matchers/watch/0') // 'watch'` */
function labelIn(pointer: string): string {
  return pointer.split('/')[2] ?? 'These labels';
}

/** `form`: null for a viewer. */
function content({ active, ended }: SilenceLists, form: Html | null, request: PageRequest): Html {
  const lists = html`${activeSilences(active, request)}${endedSilences(ended, request)}`;
  return html`<div>
      <h1>Silences</h1>
      <p class="lead">
        A silence holds notifications back; polling goes on. What happens meanwhile is in the history, and one summary
        is sent when the silence ends.
      </p>
    </div>
    ${
      form === null
        ? html`<section class="stack" aria-label="Silences">${lists}</section>`
        : html`<section class="two" aria-label="Silences">
            <div class="stack">${form}</div>
            <aside class="stack" aria-label="Silences">${lists}</aside>
          </section>`
    }`;
}
