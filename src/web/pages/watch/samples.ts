// The values of a watch over time, for the script that draws them.
import { SamplesFilter } from '../../../query/shapes.ts';
import { errorPage } from '../frame/errors.ts';
import { askedIn, NO_SUCH_FILTER } from '../lists.ts';
import type { PageQueries } from '../queries.ts';
import type { PageRoute } from '../route.ts';

export function samplesRoute({ samples }: Pick<PageQueries, 'samples'>): PageRoute {
  return {
    path: '/watches/:name/samples.json',
    role: 'viewer',
    nav: null,
    async show(request) {
      const asked = askedIn(SamplesFilter, request);
      if (asked === null) return NO_SUCH_FILTER;
      const found = await samples(request.parameter('name'), asked.filter);
      if (found === null) return errorPage(404, 'No samples of this field are kept.');
      return { file: null, type: 'application/json', body: JSON.stringify(found) };
    },
  };
}
