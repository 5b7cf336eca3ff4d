// Time zones in conditions: `timestamp.getHours("Europe/Berlin")`. A zone that does not exist would make the condition
// unknown for ever.
import { quote } from '../../../config/values/scalars.ts';
import { isTimeZone, ZONE_EXAMPLE, zoneHint } from '../../../config/values/time-zones.ts';
import type { ConditionMistake } from '../mistake.ts';
import { childrenOf, isMethodCall, isText, type Node } from '../syntax.ts';
import { TIME_GETTERS } from '../words.ts';

/** Arguments of `getHours()` and its like that are no time zone. */
export function timeZoneMistakes(node: Node): ConditionMistake[] {
  const mistakes = childrenOf(node).flatMap(timeZoneMistakes);
  if (!isMethodCall(node) || !TIME_GETTERS.includes(node.args[0])) return mistakes;
  const [zone] = node.args[2];
  if (zone === undefined || (isText(zone) && isTimeZone(zone.args))) return mistakes;
  const { start, end } = zone;
  if (!isText(zone))
    return [...mistakes, { message: 'a time zone is a text in quotes', hint: ZONE_EXAMPLE, start, end }];
  return [...mistakes, { message: `no time zone ${quote(zone.args)}`, hint: zoneHint(zone.args), start, end }];
}
