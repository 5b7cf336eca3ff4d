// The buttons that acknowledge an alert. A snooze is an acknowledgement that ends in an hour.
import type { AlertCard } from '../../../query/shapes/alerts.ts';
import { counted } from '../../parts/amount.ts';
import { html, type Html } from '../../parts/html.ts';
import { buttonForm } from '../frame/fill.ts';
import { ACKS_PATH, alertPath } from '../paths.ts';

interface SeenAlert {
  readonly key: string;
  readonly episode: number;
  readonly seq: number;
  readonly ack: { readonly actor: string } | null;
}

/**
 * `from`: the path to go back to. A valid acknowledgement is replaced only by the button `Acknowledge in its place`.
 */
export function ackButtons(alert: SeenAlert, from: string): Html {
  const action = `${alertPath(alert.key, alert.episode)}/ack`;
  const fields = { seq: String(alert.seq), from };
  if (alert.ack !== null) {
    const { actor } = alert.ack;
    const replacing = { ...fields, replace: 'yes' };
    return html`${buttonForm({ action: `${action}/end`, label: `Take back the acknowledgement of ${actor}`, fields: { from } })}${buttonForm(
      {
        action,
        label: 'Acknowledge in its place',
        fields: replacing,
      },
    )}`;
  }
  return newAckButtons(action, 'Acknowledge', fields);
}

/** The buttons for all alerts that share a card, up to the newest one that the card shows. */
export function ackAllButtons({ rule, alert, alerts, up_to }: AlertCard): Html {
  return newAckButtons(ACKS_PATH, `Acknowledge all ${counted(alerts)}`, { watch: rule, alert, up_to });
}

function newAckButtons(action: string, label: string, fields: Readonly<Record<string, string>>): Html {
  return html`${buttonForm({ action, label, fields, class: 'main' })}${buttonForm({
    action,
    label: 'Snooze 1 h',
    fields: { ...fields, for: '1h' },
  })}`;
}
