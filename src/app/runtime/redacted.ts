// A receiver may echo the message, so its answers are redacted before they are stored, logged or shown.
import type { Outcome } from '../../core/model/delivery.ts';
import type { OpenMirror, OpenNotifier } from '../../notifiers/notifier.ts';

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

export function redacted(outcome: Outcome, redact: Redact): Outcome {
  return outcome.type === 'sent'
    ? { ...outcome, answer: redact(outcome.answer) }
    : { ...outcome, why: redact(outcome.why) };
}
