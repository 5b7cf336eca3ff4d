import { isHoldSummary, type Delivery } from '../../core/model/delivery.ts';
import { toAlertContent, type OwnLinks } from './alert-content.ts';
import type { MessageContent } from './content.ts';
import { toGroupContent } from './group-content.ts';

/** The content of a delivery for people: all facts about one alert, or one line for each of several alerts. */
export function toContent(delivery: Delivery, links: OwnLinks = {}): MessageContent {
  const { kind, members, at } = delivery;
  const isOfOne = isAboutOne(delivery) && !isHoldSummary(kind);
  return isOfOne ? toAlertContent(members[0], at, links) : toGroupContent(delivery, links);
}

export function isAboutOne({ members, more }: Delivery): boolean {
  return members.length === 1 && more.length === 0;
}
