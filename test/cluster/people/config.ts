// Those who care for purses of their own: they are told again while one stays empty, others are called when nobody answers,
// and operators silence and acknowledge. The config is data too, which the oracle for people reads.
import type { Channel, ConfigVersion, LabelPattern, RouteVersion, RuleVersion } from '../../simulation/people/log.ts';
import { NO_ROUTE } from '../../simulation/scenes/first-version.ts';
import { hookOf } from '../sinks.ts';

export const CARE = 'care';
export const CALLS = 'calls';
const MINUTE_MS = 60_000;

export const careOf = (plan: number): string => `care-${plan}`;

/** Of the rules file. */
export const careRules = (plans: number): string =>
  Array.from(
    { length: plans },
    (_, plan) =>
      `  - { id: ${careOf(plan)}, explorer: plan-${plan}, kind: balance, of: cared_${plan}, every: 1s, notify: [${CARE}], alerts: [{ id: low, while: balance < 1, severity: warning }] }\n`,
  ).join('');

const CARE_MATCHES: LabelPattern = { watch: 'care-*' };

export const ROUTES = `
routes:
  - { match: { watch: 'care-*' }, repeat: 1m, escalate: [{ after: 1m, notify: [${CALLS}] }] }
  - { group_interval: 0s, repeat: off }
`;

const ROUTE_VERSIONS: readonly RouteVersion[] = [
  {
    ...NO_ROUTE,
    match: CARE_MATCHES,
    repeatMs: MINUTE_MS,
    escalate: [{ afterMs: MINUTE_MS, notify: [CALLS] }],
  },
  { ...NO_ROUTE, groupIntervalMs: 0, repeatMs: 'off' },
];

const DAY_MS = 86_400_000;

const program = (name: string): Channel => ({
  name,
  kind: 'program',
  recipients: [name],
  cap: null,
  giveUp: { tries: 12, afterMs: 3 * DAY_MS },
});

/** `whole`: as all replicas have it at first. `lacking`: without the watch of the first purses. */
export function versionOf(plans: number, id: 'whole' | 'lacking'): ConfigVersion {
  const numbers = Array.from({ length: plans }, (_, plan) => plan);
  const rules = numbers.flatMap((plan) => [
    rule(`head-${plan}`, 'block', { plan, form: 'event', severity: 'warning', notify: hookOf(plan) }),
    ...(id === 'lacking' && plan === 0
      ? []
      : [rule(`coins-${plan}`, 'low', { plan, form: 'condition', severity: 'critical', notify: hookOf(plan) })]),
    rule(careOf(plan), 'low', { plan, form: 'condition', severity: 'warning', notify: CARE }),
  ]);
  return {
    id,
    channels: [...numbers.map(hookOf), CARE, CALLS].map(program),
    routes: ROUTE_VERSIONS,
    inhibit: [],
    self: [],
    rules: [...rules, rule('spare-0', 'block', { plan: 0, form: 'event', severity: 'info', notify: hookOf(0) })],
  };
}

interface Given extends Pick<RuleVersion, 'form' | 'severity'> {
  readonly plan: number;
  readonly notify: string;
}

function rule(watch: string, alert: string, { plan, form, severity, notify }: Given): RuleVersion {
  return {
    watch,
    alert,
    form,
    severity,
    notify: [notify],
    labels: { watch, alert, severity, explorer: `plan-${plan}` },
    cooldownMs: null,
    flapping: null,
    reference: `${watch}/${alert}`,
  };
}
