import type { Settlement } from '../../core/model/delivery.ts';
import type { Claimed } from '../../store/contract/deliveries.ts';
import type { Log } from '../../telemetry/log.ts';

export type OutcomeReport = (claimed: Claimed, settlement: Settlement) => void;

/**
 * Logs the outcome of each attempt. A failing channel fails many deliveries for one reason: the first is logged as a
 * warning, the others at debug level. A reason that only a person can remove is logged as an error.
 */
export function createOutcomeReport(channel: string, log: Log): OutcomeReport {
  let lastFailure: string | null = null;

  return ({ delivery, attempt }, { state, outcome }) => {
    const [{ message }, ...others] = delivery.members;
    const fields = {
      channel,
      delivery: delivery.id,
      // Names the recipient if a channel has many: one of them may be refused. The only receiver of a channel has the
      // channel's name.
      ...(delivery.recipient === channel ? {} : { recipient: delivery.recipient }),
      // The first member is the most severe one.
      watch: message.watch,
      alert: message.alert,
      ...(others.length === 0 ? {} : { members: delivery.members.length }),
      attempt,
    };
    if (outcome.type === 'sent') {
      lastFailure = null;
      log.debug('delivery:sent', { ...fields, answer: outcome.answer });
      return;
    }
    const isNews = outcome.why !== lastFailure;
    lastFailure = outcome.why;
    const isRefused = outcome.type === 'again' && outcome.auth === true;
    if (state === 'dead') log.error('delivery:dead', { ...fields, outcome: outcome.type, why: outcome.why });
    else if (isNews && isRefused) log.error('channel:refused', { ...fields, why: outcome.why });
    else log[isNews ? 'warn' : 'debug'](`delivery:${outcome.type}`, { ...fields, why: outcome.why });
  };
}
