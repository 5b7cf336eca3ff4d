// What a silence would hold back. It changes nothing, but its matchers stand in a body, as those of a silence do.
import type { Queries } from '../../query/queries.ts';
import { SilencePreview } from '../../query/shapes/operators.ts';
import { problemOf } from './operation.ts';
import { problemFor } from './reads.ts';
import type { WriteRoute } from './route.ts';
import { PreviewBody } from './shapes.ts';
import { route } from './writes.ts';

export function previewRoute({ previewSilence }: Pick<Queries, 'previewSilence'>): WriteRoute {
  return route('/silences/preview', {
    tag: 'silences',
    shape: SilencePreview,
    summary: 'Says what a silence would hold back, and would have held back in the last 24 hours. Changes nothing.',
    status: 200,
    body: PreviewBody,
    problems: [],
    async work({ matchers }) {
      try {
        const found = await previewSilence(matchers);
        if ('alerts' in found) return { body: found };
        return { problem: problemOf({ type: 'invalid', mistakes: found }) };
      } catch (error) {
        return { problem: problemFor(error) };
      }
    },
  });
}
