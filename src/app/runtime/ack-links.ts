// Puts into each message to people the link with which it is acknowledged.
import type { HttpSettings } from '../../config/model.ts';
import { isHoldSummary, type Delivery } from '../../core/model/delivery.ts';
import { BUILT_IN_RULE } from '../../core/model/ids.ts';
import type { OpenNotifier } from '../../notifiers/notifier.ts';
import { SAMPLE } from '../../notifiers/sample.ts';
import { ackToken, LINKS_ROOT } from '../../web/guard/ack-links.ts';
import { redacted } from './redacted.ts';

/** The link for a delivery; null where it gets none. */
export type AckLinkOf = (delivery: Delivery) => string | null;

export const NO_LINKS: AckLinkOf = () => null;

/** `secret`: null where there are no links. What the daemon tells of itself is acknowledged on its page. */
export function ackLinksOf({ publicUrl }: Pick<HttpSettings, 'publicUrl'>, secret: string | null): AckLinkOf {
  if (publicUrl === null || secret === null) return NO_LINKS;
  return (delivery) => {
    const { id, at } = delivery;
    return isOpen(delivery) ? `${publicUrl}${LINKS_ROOT}/${ackToken(id, at, secret)}` : null;
  };
}

/** It speaks of something that is to be acknowledged, and is kept. */
function isOpen({ kind, members }: Delivery): boolean {
  if (isHoldSummary(kind)) return false;
  return members.some(({ message: { type, watch, kind: of } }) => {
    return type !== 'alert.resolved' && type !== 'alert.retracted' && watch !== BUILT_IN_RULE && of !== SAMPLE;
  });
}

/** Sends each delivery with its link, as it is at that time. No answer of the other side is kept with a link in it. */
export function withAckLinks(notifier: OpenNotifier, linkOf: AckLinkOf): OpenNotifier {
  return {
    ...notifier,
    async send(delivery, attempt, signal) {
      const link = linkOf(delivery);
      if (link === null) return notifier.send(delivery, attempt, signal);
      const token = link.slice(link.lastIndexOf('/') + 1);
      const outcome = await notifier.send(delivery, { ...attempt, ackUrl: link }, signal);
      return redacted(outcome, (text) => text.replaceAll(token, '[link]'));
    },
    [Symbol.asyncDispose]: () => notifier[Symbol.asyncDispose](),
  };
}
