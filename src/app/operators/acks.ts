// Acknowledgements, as operators ask for them.
import { quote } from '../../config/scalars.ts';
import type { Severity } from '../../core/model/ids.ts';
import type { Watch } from '../../core/model/watch.ts';
import { showInstant } from '../../lib/clock.ts';
import type { Changed, OpenAlertRow } from '../../store/interventions.ts';
import type { AckAnswer, AckDraft, AlertName, Interventions, Result } from '../../web/api/operation.ts';
import { untilMistakes, type Checked, type Once, type OnceOptions } from './once.ts';

export interface AckCallsOptions extends OnceOptions {
  readonly watches: () => readonly Watch[];
  /** Who is told is decided by other silences or acknowledgements from now on. */
  readonly onPolicy: () => void;
}

const LONGEST_MS = 86_400_000;

export function createAckCalls(once: Once, options: AckCallsOptions): Pick<Interventions, 'ack' | 'endAck'> {
  const { store, clock, log, watches, onPolicy } = options;

  async function check({ key, episode }: AlertName, draft: AckDraft): Promise<Checked> {
    const now = clock.now();
    const until = draft.until ?? now + LONGEST_MS;
    const mistakes = untilMistakes(until, { now, longestMs: LONGEST_MS });
    if (mistakes.length > 0) return { mistakes };
    const open = (await store.openAlerts(now)).find((one) => one.key === key && one.episode === episode);
    const severity = open === undefined ? 'critical' : severityOf(open, watches());
    return { change: { type: 'ack', key, episode, seq: draft.seq, severity, until, comment: draft.comment } };
  }

  return {
    ack: (alert, draft, operation) =>
      once(operation, {
        changes: 'ack',
        check: () => check(alert, draft),
        missing: `There is no open alert ${quote(alert.key)} with this episode and seq: \`chainwarden status\` shows those that are open.`,
        act({ ack: { key, until, actor, comment } }) {
          log.info('alert:acknowledged', { alert: key, until: showInstant(until), by: actor, comment });
          onPolicy();
        },
      }).then(ackOf),
    endAck: ({ key, episode }, operation) =>
      once(operation, {
        changes: 'ack',
        check: () => ({ change: { type: 'end-ack', key, episode } }),
        missing: `Nobody has acknowledged the alert ${quote(key)} in this episode.`,
        act() {
          log.info('alert:unacknowledged', { alert: key, by: operation.actor });
          onPolicy();
        },
      }).then(ackOf),
  };
}

/** That of its rule in force; of an alert whose rule is gone, that of its message. */
export function severityOf({ watch, alert, severity }: OpenAlertRow, watches: readonly Watch[]): Severity {
  const rule = watches.find(({ id }) => id === watch)?.alerts.find(({ id }) => id === alert);
  return rule?.severity ?? severity;
}

function ackOf(result: Result<Extract<Changed, { type: 'ack' }>>): Result<AckAnswer> {
  return result.type === 'refused' ? result : { type: 'done', value: result.value.ack };
}
