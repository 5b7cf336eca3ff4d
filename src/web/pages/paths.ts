// Where pages are.
import { html, type Html } from '../parts/html.ts';

export function watchPath(watch: string): string {
  return `/watches/${encodeURIComponent(watch)}`;
}

export const SILENCES_PATH = '/silences';
export const ACKS_PATH = '/acks';
export const DELIVERIES_PATH = '/deliveries';

/** A snooze is an acknowledgement for so long. */
export const SNOOZE_MS = 3_600_000;

export function alertPath(key: string, episode: number): string {
  return `/alerts/${encodeURIComponent(key)}/${episode}`;
}

/** To the form of a silence, filled in for one alert. */
export function silenceLink({ watch, alert }: { readonly watch: string; readonly alert: string | null }): Html {
  const query = new URLSearchParams({ watch, ...(alert !== null && { alert }) });
  return html`<a class="button" href="/silences?${query.toString()}">Silence…</a>`;
}
