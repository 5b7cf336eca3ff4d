// Labels of an alert: those that the program gives, and those of its rule. They are the same for every message of an
// alert.
import type { Labels } from '../ids.ts';
import type { Message } from '../delivery.ts';
import type { AlertRule, EventAlert, Watch } from './watch.ts';

/** Labels that the program gives an alert. A rule may not set one of these names. */
export const GIVEN_LABELS = ['watch', 'alert', 'kind', 'severity', 'explorer', 'of', 'token', 'claim'] as const;

type Labelled = Pick<Watch, 'rule' | 'kind' | 'target' | 'of' | 'token'>;

/**
 * Labels of the program and of the rule. `watch` is the id of the rule, so all watches of a rule have the same value.
 * `of` and `token` are the name that the config gives the address, else the address in lower case; they are missing if
 * there is no address. `claim` is `true` for an item that is only a claim, else missing.
 *
 * labelsOf(watch, alert) // { team: 'payments', watch: 'coins', alert: 'low', kind: 'balance', severity: 'critical', ... }
 */
export function labelsOf(
  watch: Labelled,
  alert: Pick<AlertRule, 'id' | 'severity' | 'labels'> & Pick<EventAlert, 'isClaim'>,
): Labels {
  return {
    ...alert.labels,
    ...labelsOfWatch(watch),
    alert: alert.id,
    kind: watch.kind.name,
    severity: alert.severity,
    ...(alert.isClaim === true ? CLAIM : {}),
  };
}

const CLAIM = { claim: 'true' } as const;

export function isOfClaim(labels: Labels): boolean {
  return labels['claim'] === CLAIM.claim;
}

/** The labels that all alerts of the watch share, and no alert of another watch has. */
export function labelsOfWatch({ rule, target, of, token }: Omit<Labelled, 'kind'>): Labels {
  return {
    watch: rule,
    explorer: target.explorer,
    ...(of === null ? {} : { of: nameOf(of) }),
    ...(token === null ? {} : { token: nameOf(token) }),
  };
}

/**
 * The labels of an alert whose rule was removed, from its last message: without written labels, and with the address of
 * a token.
 */
export function labelsOfMessage({ watch, alert, kind, severity, explorer, of, token }: Message): Labels {
  const rule = watch.replace(/\[.*$/s, '');
  return {
    watch: rule,
    alert,
    kind,
    severity,
    explorer,
    ...(of === null ? {} : { of: nameOf(of) }),
    ...(token === null ? {} : { token: token.address.toLowerCase() }),
  };
}

function nameOf({ name, address }: { readonly name: string | null; readonly address: string }): string {
  return name ?? address.toLowerCase();
}
