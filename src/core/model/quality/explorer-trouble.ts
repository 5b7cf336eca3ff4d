// The reason why no requests are sent to an explorer, or why its answers are not believed.
import { showRest, type PlanRest } from './plan-rest.ts';

export type ExplorerTrouble =
  | { readonly type: 'refused'; readonly explorer: string; readonly rest: PlanRest }
  | { readonly type: 'other-chain'; readonly explorer: string; readonly why: string };

/** `ethereum: the API key is rejected (401), asked next at 2026-01-01T00:00:30Z` */
export function showTrouble(trouble: ExplorerTrouble): string {
  return `${trouble.explorer}: ${whyOf(trouble)}`;
}

export function whyOf(trouble: ExplorerTrouble): string {
  return trouble.type === 'refused' ? showRest(trouble.rest) : trouble.why;
}
