// Acknowledgements, as operators ask for them.
import { quote } from '../../config/values/scalars.ts';
import type { Watch } from '../../core/model/watch/watch.ts';
import { showInstant } from '../../lib/clock.ts';
import type { OperatorChange, Intervention, OpenAlertRow } from '../../store/contract/operators.ts';
import type { AckAnswer, AckDraft, AlertName, Interventions, Result } from '../../web/api/operation.ts';
import { nameOf, severityOf } from '../../engine/upkeep/policy-upkeep.ts';
import { untilMistakes, type Checked, type Once, type OnceOptions } from './once.ts';

export interface AckCallsOptions extends OnceOptions {
  readonly watches: () => readonly Watch[];
}

const LONGEST_MS = 86_400_000;

export function createAckCalls(once: Once, options: AckCallsOptions): Pick<Interventions, 'ack' | 'endAck'> {
  const { store, clock, log, watches } = options;

  async function check({ key, episode }: AlertName, draft: AckDraft): Promise<Checked> {
    const now = clock.now();
    const until = draft.until ?? now + LONGEST_MS;
    const mistakes = untilMistakes(until, { now, longestMs: LONGEST_MS });
    if (mistakes.length > 0) return { mistakes };
    const open = await find({ key, episode });
    // Of one that is not open, the store says why it cannot be acknowledged.
    const severity = open === null ? 'critical' : severityOf(open, watches());
    const change = { type: 'ack', key, episode, seq: draft.seq, severity, until, comment: draft.comment } as const;
    return named(change, open);
  }

  async function checkEnd({ key, episode }: AlertName): Promise<Checked> {
    return named({ type: 'end-ack', key, episode }, await find({ key, episode }));
  }

  async function find({ key, episode }: AlertName): Promise<OpenAlertRow | null> {
    const open = await store.openAlerts({ at: clock.now(), keys: [key] });
    return open.find((one) => one.episode === episode) ?? null;
  }

  return {
    ack: (alert, draft, operation) =>
      once(operation, {
        changes: 'ack',
        check: () => check(alert, draft),
        missing: `There is no open alert ${quote(alert.key)} with this episode and seq: \`chainwarden status\` shows those that are open.`,
        act({ ack: { key, until, actor, comment } }) {
          log.info('alert:acknowledged', { alert: key, until: showInstant(until), by: actor, comment });
        },
      }).then(ackOf),
    endAck: (alert, operation) =>
      once(operation, {
        changes: 'ack',
        check: () => checkEnd(alert),
        missing: `Nobody has acknowledged the alert ${quote(alert.key)} in this episode.`,
        act() {
          log.info('alert:unacknowledged', { alert: alert.key, by: operation.actor });
        },
      }).then(ackOf),
  };
}

function named(change: Intervention, open: OpenAlertRow | null): Checked {
  return open === null ? { change } : { change, alert: nameOf(open) };
}

function ackOf(result: Result<Extract<OperatorChange, { type: 'ack' }>>): Result<AckAnswer> {
  return result.type === 'refused' ? result : { type: 'done', value: result.value.ack };
}
