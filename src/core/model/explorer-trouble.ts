// What keeps an explorer from being asked, or from being believed.
import { showRest, type PlanRest } from './plan-rest.ts';

/** Plain JSON: it stands in the state file for `status`. */
export interface ExplorerTrouble {
  readonly explorer: string;
  readonly rest: PlanRest;
}

/** `ethereum: unauthorized, asked next at 2026-01-01T00:00:30Z` */
export function showTrouble({ explorer, rest }: ExplorerTrouble): string {
  return `${explorer}: ${showRest(rest)}`;
}
