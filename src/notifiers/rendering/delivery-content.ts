import { isHoldSummary, type Delivery } from '../../core/model/delivery.ts';
import { toAlertContent } from './alert-content.ts';
import type { Content } from './content.ts';
import { toGroupContent } from './group-content.ts';

/** What a delivery says to people: about one alert all that is known, about several a line each. */
export function toContent(delivery: Delivery): Content {
  const { kind, members, at } = delivery;
  return isAboutOne(delivery) && !isHoldSummary(kind) ? toAlertContent(members[0], at) : toGroupContent(delivery);
}

export function isAboutOne({ members, more }: Delivery): boolean {
  return members.length === 1 && more.length === 0;
}
