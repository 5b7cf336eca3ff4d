// All calls of the API.
import type { Queries } from '../../query/queries.ts';
import type { Interventions } from './operation.ts';
import { previewRoute } from './preview.ts';
import { readRoutes } from './reads.ts';
import type { ApiRoute } from './route.ts';
import { writeRoutes } from './writes.ts';

export const API_ROOT = '/api/v1';

export interface ApiParts {
  readonly interventions: Interventions;
  readonly queries: Queries;
}

export function apiRoutes({ interventions, queries }: ApiParts): readonly ApiRoute[] {
  return [...readRoutes(queries), previewRoute(queries), ...writeRoutes(interventions)];
}
