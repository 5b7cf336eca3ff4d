// The forms that pause a watch for an hour, and let it go on.
import { problemOf, type Interventions } from '../../api/operation.ts';
import { watchPath } from '../paths.ts';
import type { FormRoute } from '../route.ts';

const HOUR_MS = 3_600_000;
const COMMENT = 'paused on the page';

export function pauseForms(interventions: Interventions): readonly FormRoute[] {
  return [
    {
      path: '/watches/:name/pause',
      role: 'operator',
      async submit({ parameter, operation, now }) {
        const name = parameter('name');
        const done = await interventions.pause(name, { until: now + HOUR_MS, comment: COMMENT }, operation);
        return done.type === 'refused' ? { problem: problemOf(done.why) } : { location: watchPath(name) };
      },
    },
    {
      path: '/watches/:name/resume',
      role: 'operator',
      async submit({ parameter, operation }) {
        const name = parameter('name');
        const done = await interventions.endPause(name, operation);
        return done.type === 'refused' ? { problem: problemOf(done.why) } : { location: watchPath(name) };
      },
    },
  ];
}
