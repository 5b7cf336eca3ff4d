// What an alert is called before anything was decided about it.
import { conditionText } from '../../core/alerts/message.ts';
import { namesOf } from '../../core/alerts/sentence.ts';
import type { AlertRule, Watch } from '../../core/model/watch/watch.ts';
import { singleLine } from '../../lib/untrusted.ts';

/** `treasury USDC: balance < 1000000`: what is watched, and the condition as the rule has it. */
export function titleOf(watch: Watch, alert: AlertRule): string {
  const thing = watch.kind.wording.thing(namesOf(watch));
  return singleLine(thing === '' ? conditionText(alert) : `${thing}: ${conditionText(alert)}`);
}
