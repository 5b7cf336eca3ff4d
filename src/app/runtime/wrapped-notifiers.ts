// Wrappers of notifiers: links to pages of the daemon in its messages, and no secrets in its answers.
import type { HttpSettings } from '../../config/model.ts';
import { type Delivery, isHoldSummary, type Outcome, type PageOf } from '../../core/model/delivery.ts';
import { BUILT_IN_RULE } from '../../core/model/ids.ts';
import type { OpenMirror, OpenNotifier } from '../../notifiers/notifier.ts';
import { SAMPLE } from '../../notifiers/sample.ts';
import { ackToken, LINKS_ROOT } from '../../web/guard/ack-links.ts';
import { alertPath } from '../../web/pages/paths.ts';

// Adds links to the daemon's own pages to messages: to the page of each alert, and, in messages to people, to a page
// that acknowledges it.

export interface PageLinks {
  /** The address that acknowledges a delivery; null if there is none. */
  readonly ackOf: (delivery: Delivery) => string | null;
  readonly pageOf: PageOf;
}

export const NO_LINKS: PageLinks = { ackOf: () => null, pageOf: () => null };

/**
 * `secret`: null if links do not acknowledge alerts. Alerts of the daemon about itself get no such link: they are
 * acknowledged on the page.
 */
export function pageLinksOf(
  { publicUrl, page }: Pick<HttpSettings, 'publicUrl' | 'page'>,
  secret: string | null,
): PageLinks {
  if (publicUrl === null) return NO_LINKS;
  return {
    ackOf: (delivery) =>
      secret !== null && isOpen(delivery)
        ? `${publicUrl}${LINKS_ROOT}/${ackToken(delivery.id, delivery.at, secret)}`
        : null,
    pageOf: ({ key, episode, kind, summary }) =>
      page.isServed && kind !== SAMPLE && summary === null ? `${publicUrl}${alertPath(key, episode)}` : null,
  };
}

/** True if the delivery contains an alert to acknowledge. */
function isOpen({ kind, members }: Delivery): boolean {
  if (isHoldSummary(kind)) return false;
  return members.some(({ message }) => {
    const { type, watch, kind: of, severity } = message;
    const isOver = type === 'alert.resolved' || type === 'alert.retracted';
    // Information needs no acknowledgement and is not repeated.
    return !isOver && watch !== BUILT_IN_RULE && of !== SAMPLE && severity !== 'info';
  });
}

/** Each delivery is sent with the links of that moment. The answer is stored without the token of the link. */
export function withLinks(notifier: OpenNotifier, links: () => PageLinks, readBy: 'people' | 'machines'): OpenNotifier {
  return {
    ...notifier,
    async send(delivery, attempt, signal) {
      const { ackOf, pageOf } = links();
      const ack = readBy === 'people' ? ackOf(delivery) : null;
      if (ack === null) return notifier.send(delivery, { ...attempt, pageOf }, signal);
      const token = ack.slice(ack.lastIndexOf('/') + 1);
      const outcome = await notifier.send(delivery, { ...attempt, pageOf, ackUrl: ack }, signal);
      return redacted(outcome, (text) => text.replaceAll(token, '[link]'));
    },
    [Symbol.asyncDispose]: () => notifier[Symbol.asyncDispose](),
  };
}

export function withPages(mirror: OpenMirror, links: () => PageLinks): OpenMirror {
  return {
    show: (alerts, signal) =>
      mirror.show(
        alerts.map((alert) => ({ ...alert, page: links().pageOf(alert.message) })),
        signal,
      ),
    [Symbol.asyncDispose]: () => mirror[Symbol.asyncDispose](),
  };
}

// A receiver may echo the message, so its answers are redacted before they are stored, logged or shown.

type Redact = (text: string) => string;

export function withoutSecrets(notifier: OpenNotifier, redact: Redact): OpenNotifier {
  const { acknowledge } = notifier;
  return {
    send: async (delivery, attempt, signal) => redacted(await notifier.send(delivery, attempt, signal), redact),
    ...(acknowledge && { acknowledge: async (alert, signal) => redacted(await acknowledge(alert, signal), redact) }),
    [Symbol.asyncDispose]: () => notifier[Symbol.asyncDispose](),
  };
}

export function withoutSecretsInMirror(mirror: OpenMirror, redact: Redact): OpenMirror {
  return {
    show: async (alerts, signal) => (await mirror.show(alerts, signal)).map((outcome) => redacted(outcome, redact)),
    [Symbol.asyncDispose]: () => mirror[Symbol.asyncDispose](),
  };
}

function redacted(outcome: Outcome, redact: Redact): Outcome {
  return outcome.type === 'sent'
    ? { ...outcome, answer: redact(outcome.answer) }
    : { ...outcome, why: redact(outcome.why) };
}
