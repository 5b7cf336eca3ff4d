// The forms that acknowledge an alert. A snooze is an acknowledgement that ends in an hour.
import { problemOf, type Interventions } from '../../api/operation.ts';
import { html, type Html } from '../../parts/html.ts';
import { buttonForm } from '../frame/fill.ts';
import type { FormRoute } from '../route.ts';

export const SNOOZE_MS = 3_600_000;

interface Acked {
  readonly key: string;
  readonly episode: number;
  readonly seq: number;
}

export function ackPath({ key, episode }: Pick<Acked, 'key' | 'episode'>): string {
  return `${alertPath(key, episode)}/ack`;
}

export function alertPath(key: string, episode: number): string {
  return `/alerts/${encodeURIComponent(key)}/${episode}`;
}

/** `from`: the path to go back to. */
export function ackButtons(alert: Acked, from: string): Html {
  const action = ackPath(alert);
  const fields = { seq: String(alert.seq), from };
  return html`${buttonForm({ action, label: 'Acknowledge', fields, class: 'main' })}${buttonForm({
    action,
    label: 'Snooze 1 h',
    fields: { ...fields, for: '1h' },
  })}`;
}

export function ackForms(interventions: Interventions): readonly FormRoute[] {
  return [
    {
      path: '/alerts/:key/:episode/ack',
      role: 'operator',
      async submit({ parameter, field, operation, now }) {
        const alert = { key: parameter('key'), episode: wholeNumber(parameter('episode')) };
        const until = field('for') === '1h' ? now + SNOOZE_MS : null;
        const draft = { seq: wholeNumber(field('seq')), until, comment: null };
        const done = await interventions.ack(alert, draft, operation);
        if (done.type === 'refused') return { problem: problemOf(done.why) };
        return { location: field('from') === '/' ? '/' : alertPath(alert.key, alert.episode) };
      },
    },
  ];
}

/** What is no number is of no alert. */
function wholeNumber(text: string): number {
  return /^\d{1,15}$/.test(text) ? Number(text) : -1;
}
