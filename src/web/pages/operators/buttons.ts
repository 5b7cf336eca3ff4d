// The buttons that acknowledge an alert. A snooze is an acknowledgement that ends in an hour.
import { html, type Html } from '../../parts/html.ts';
import { buttonForm } from '../frame/fill.ts';
import { alertPath } from '../paths.ts';

interface SeenAlert {
  readonly key: string;
  readonly episode: number;
  readonly seq: number;
}

/** `from`: the path to go back to. */
export function ackButtons(alert: SeenAlert, from: string): Html {
  const action = `${alertPath(alert.key, alert.episode)}/ack`;
  const fields = { seq: String(alert.seq), from };
  return html`${buttonForm({ action, label: 'Acknowledge', fields, class: 'main' })}${buttonForm({
    action,
    label: 'Snooze 1 h',
    fields: { ...fields, for: '1h' },
  })}`;
}
