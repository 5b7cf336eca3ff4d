// Time zones in conditions: `timestamp.getHours("Europe/Berlin")`. A zone that does not exist would make the condition
// unknown for ever.
import { nearest } from '../../../config/nearest.ts';
import { quote } from '../../../config/scalars.ts';
import type { Mistake } from '../mistake.ts';
import { childrenOf, isMethodCall, isText, type Node } from '../syntax.ts';
import { TIME_GETTERS } from '../words.ts';

/** Arguments of `getHours()` and its like that are no time zone. */
export function timeZoneMistakes(node: Node): Mistake[] {
  const mistakes = childrenOf(node).flatMap(timeZoneMistakes);
  if (!isMethodCall(node) || !TIME_GETTERS.includes(node.args[0])) return mistakes;
  const [zone] = node.args[2];
  if (zone === undefined || (isText(zone) && isTimeZone(zone.args))) return mistakes;
  const { start, end } = zone;
  if (!isText(zone)) return [...mistakes, { message: 'a time zone is a text in quotes', hint: EXAMPLE, start, end }];
  return [...mistakes, { message: `no time zone ${quote(zone.args)}`, hint: hintOf(zone.args), start, end }];
}

const EXAMPLE = 'Write "UTC" or a name such as "Europe/Berlin".';

function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}

/** The zone of that city, else one with a similar name. */
function hintOf(written: string): string {
  const zones = Intl.supportedValuesOf('timeZone');
  const city = written.trim().replaceAll(' ', '_').toLowerCase();
  const found = zones.find((zone) => zone.toLowerCase().endsWith(`/${city}`)) ?? nearest(written, zones);
  return found === undefined ? EXAMPLE : `Write "${found}".`;
}
