import type { Delivery } from '../../core/model/delivery.ts';
import { toAlertContent } from './alert-content.ts';
import type { Content } from './content.ts';
import { toGroupContent } from './group-content.ts';

/** What a delivery says to people: about one alert all that is known, about several a line each. */
export function toContent(delivery: Delivery): Content {
  const { kind, members, more, at } = delivery;
  const isAboutOne = members.length === 1 && more.length === 0;
  const isCounted = kind === 'silence_summary' || kind === 'inhibition_summary';
  return isAboutOne && !isCounted ? toAlertContent(members[0], at) : toGroupContent(delivery);
}
