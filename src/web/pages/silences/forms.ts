// The forms that make, extend and end a silence.
import { problemOf, type Interventions } from '../../api/operation.ts';
import type { ApiProblem } from '../../problem.ts';
import type { PageQueries } from '../queries.ts';
import type { FormRoute } from '../route.ts';
import { draftFrom } from './draft.ts';
import { SILENCES_PATH } from './page.ts';

interface SilenceFormsOptions {
  readonly interventions: Pick<Interventions, 'silence' | 'extendSilence' | 'endSilence'>;
  readonly silences: PageQueries['silences'];
}

const HOUR_MS = 3_600_000;

export function silenceForms({ interventions, silences }: SilenceFormsOptions): readonly FormRoute[] {
  const { silence, extendSilence, endSilence } = interventions;

  async function endOf(id: string): Promise<number | null> {
    const found = (await silences()).active.find((one) => one.id === id);
    return found === undefined ? null : Date.parse(found.until);
  }

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
        return done.type === 'refused' ? { problem: problemOf(done.why) } : { location: SILENCES_PATH };
      },
    },
    {
      path: `${SILENCES_PATH}/:name/end`,
      role: 'operator',
      async submit({ parameter, operation }) {
        const done = await endSilence(parameter('name'), operation);
        return done.type === 'refused' ? { problem: problemOf(done.why) } : { location: SILENCES_PATH };
      },
    },
    {
      path: `${SILENCES_PATH}/:name/extend`,
      role: 'operator',
      async submit({ parameter, operation, now }) {
        const id = parameter('name');
        const done = await extendSilence(id, ((await endOf(id)) ?? now) + HOUR_MS, operation);
        return done.type === 'refused' ? { problem: problemOf(done.why) } : { location: SILENCES_PATH };
      },
    },
  ];
}

function unreadable(detail: string): ApiProblem {
  return { problem: 'invalid-request', detail };
}
