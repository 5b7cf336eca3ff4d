// All calls of the API.
import type { PerformAction } from '../../operators/action.ts';
import type { Queries } from '../../query/queries.ts';
import { actionRoutes, previewRoute } from './actions.ts';
import { readRoutes } from './reads.ts';
import type { ApiRoute } from './route.ts';

export const API_ROOT = '/api/v1';

export interface ApiParts {
  readonly perform: PerformAction;
  readonly queries: Queries;
}

export function apiRoutes({ perform, queries }: ApiParts): readonly ApiRoute[] {
  return [...readRoutes(queries), previewRoute(queries), ...actionRoutes(perform)];
}
