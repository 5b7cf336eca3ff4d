import { isHoldSummary, type Attempt, type Delivery } from '../../core/model/delivery.ts';
import { toAlertContent } from './alert-content.ts';
import { ACKNOWLEDGE, RUNBOOK, type MessageContent, type Link } from './content.ts';
import { toGroupContent } from './group-content.ts';

/** What a delivery says to people: about one alert all that is known, about several a line each. */
export function toContent(delivery: Delivery, { ackUrl }: Pick<Attempt, 'ackUrl'> = {}): MessageContent {
  const { kind, members, at } = delivery;
  const isOfOne = isAboutOne(delivery) && !isHoldSummary(kind);
  const content = isOfOne ? toAlertContent(members[0], at) : toGroupContent(delivery);
  return ackUrl === undefined ? content : { ...content, links: withAckLink(content.links, ackUrl) };
}

/** Right behind the runbook: both are for whoever gets up. */
function withAckLink(links: readonly Link[], url: string): Link[] {
  const isRunbook = ({ label }: Link): boolean => label === RUNBOOK;
  return [...links.filter(isRunbook), { label: ACKNOWLEDGE, url }, ...links.filter((link) => !isRunbook(link))];
}

export function isAboutOne({ members, more }: Delivery): boolean {
  return members.length === 1 && more.length === 0;
}
