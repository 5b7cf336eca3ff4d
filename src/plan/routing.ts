// Routes, inhibitions and the channels of `self` as lines of text, with which `plan` compares.
import type { Config } from '../config/model.ts';
import { recipientsOn } from '../core/model/delivery.ts';
import type { Recipient, RecipientsOf } from '../core/model/ids.ts';
import type { InhibitRule, MuteWindow, Route } from '../dispatch/model.ts';
import { showMatcher } from '../dispatch/policy/matcher-text.ts';
import { formatDuration } from '../lib/durations.ts';

interface Line {
  readonly says: string;
  readonly tells: Recipient[];
}

/** Routes that only name channels are left out: the alerts name their recipients. */
export function routingOf(
  { routes, inhibit, self }: Pick<Config, 'routes' | 'inhibit' | 'self'>,
  recipientsOf: RecipientsOf,
): Line[] {
  return [
    ...routes.flatMap((route) => {
      const parts = partsOf(route);
      if (parts.length === 0) return [];
      const says = `route ${showMatcher(route.match)}: ${parts.join('; ')}`;
      return [{ says, tells: recipientsOn(laterOf(route), recipientsOf) }];
    }),
    ...inhibit.map((rule) => ({ says: inhibitText(rule), tells: [] })),
    { says: `self: ${self.length === 0 ? 'none' : self.join(', ')}`, tells: recipientsOn(self, recipientsOf) },
  ];
}

/** The channels that are called after the first message. */
function laterOf({ escalate, failover }: Route): string[] {
  return [...(escalate ?? []).flatMap(({ notify }) => notify), ...(failover ?? [])];
}

/** All that a route sets, but for the channels of the first message. */
function partsOf(route: Route): string[] {
  const { groupBy, requireAck, escalate, failover, mute } = route;
  return [
    ...namesOf('group by', groupBy),
    ...timesOf(route),
    ...(requireAck === null ? [] : [`require_ack ${requireAck}`]),
    ...(escalate?.length === 0 ? ['escalate none'] : []),
    ...(escalate ?? []).map(({ afterMs, notify }) => `after ${formatDuration(afterMs)} ${notify.join(', ')}`),
    ...namesOf('failover', failover),
    ...mute.map(muteText),
  ];
}

function namesOf(key: string, names: readonly string[] | null): string[] {
  return names === null ? [] : [`${key} ${names.length === 0 ? 'none' : names.join(', ')}`];
}

function timesOf({ groupWaitMs, groupIntervalMs, repeatMs }: Route): string[] {
  const times = { 'group wait': groupWaitMs, 'group interval': groupIntervalMs, repeat: repeatMs };
  return Object.entries(times).flatMap(([key, ms]) => {
    if (ms === null) return [];
    return `${key} ${ms === 'off' ? ms : formatDuration(ms)}`;
  });
}

function muteText({ days, from, to, zone }: MuteWindow): string {
  return `mute ${days.join(', ')} ${from}-${to} ${zone}`;
}

function inhibitText({ when, mute, equal, events }: InhibitRule): string {
  const same = equal.length === 0 ? '' : `, equal ${equal.join(', ')}`;
  return `inhibit: when ${showMatcher(when)}, mute ${showMatcher(mute)}${same}, events ${events}`;
}
