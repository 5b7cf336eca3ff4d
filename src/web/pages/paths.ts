// Where pages are.
import { html, type Html } from '../parts/html.ts';

export function watchPath(watch: string): string {
  return `/watches/${encodeURIComponent(watch)}`;
}

/** To the form of a silence, filled in for one alert. */
export function silenceLink({ watch, alert }: { readonly watch: string; readonly alert: string | null }): Html {
  const query = new URLSearchParams({ watch, ...(alert !== null && { alert }) });
  return html`<a class="button" href="/silences?${query.toString()}">Silence…</a>`;
}
