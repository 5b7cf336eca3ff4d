// The form that makes a silence.
import { problemOf, type Interventions } from '../../api/operation.ts';
import type { Problem } from '../../problem.ts';
import type { FormRoute } from '../route.ts';
import { draftFrom } from './draft.ts';
import { SILENCES_PATH } from './page.ts';

export function silenceForms({ silence }: Pick<Interventions, 'silence'>): readonly FormRoute[] {
  return [
    {
      path: SILENCES_PATH,
      role: 'operator',
      async submit({ field, operation, now, zone }) {
        const { until, from, matchers, untilResolved, comment } = draftFrom(field, { now, zone });
        if (until === null) return { problem: unreadable('Say until when: 08:00, or 2026-01-31 08:00.') };
        if (comment === '') return { problem: unreadable('Say why.') };
        if (Object.keys(matchers).length === 0) return { problem: unreadable('Say which alerts.') };
        const confirm = field('confirm') === 'yes';
        const done = await silence({ matchers, from, until, untilResolved, comment, confirm }, operation);
        return done.type === 'refused' ? { problem: problemOf(done.why) } : { location: '/' };
      },
    },
  ];
}

function unreadable(detail: string): Problem {
  return { problem: 'invalid-request', detail };
}
