// The paths of pages.
import { html, type Html } from '../parts/html.ts';

export function watchPath(watch: string): string {
  return `/watches/${encodeURIComponent(watch)}`;
}

export function accountPath(address: string): string {
  return `/accounts/${encodeURIComponent(address)}`;
}

export const SILENCES_PATH = '/silences';
export const ACKS_PATH = '/acks';
export const DELIVERIES_PATH = '/deliveries';

/** A snooze is an acknowledgement for this time. */
export const SNOOZE_MS = 3_600_000;

export function alertPath(key: string, episode: number): string {
  return `/alerts/${encodeURIComponent(key)}/${episode}`;
}

/** A link to the form of a silence, filled in with labels. */
export function silenceLink(labels: Readonly<Record<string, string>>, words = 'Silence…'): Html {
  return html`<a class="button" href="${SILENCES_PATH}?${new URLSearchParams(labels).toString()}">${words}</a>`;
}

const OF_ONE_WATCH = ['watch', 'explorer', 'of', 'token', 'alert'];

/** The labels that identify one alert of one watch; all others are left out. */
export function labelsOfOne(labels: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(labels).filter(([label]) => OF_ONE_WATCH.includes(label)));
}
