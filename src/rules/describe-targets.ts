// The part of `check` that lists the recipients of each alert.
import { formatDuration } from '../lib/durations.ts';
import { labelsOf } from '../core/model/watch/identity.ts';
import type { AlertRule, Watch } from '../core/model/watch/watch.ts';
import type { MuteWindow, Route, Routing } from '../dispatch/model.ts';
import { routingOf } from '../dispatch/policy/match.ts';
import { inColumns } from '../lib/columns.ts';

interface Described {
  readonly rule: string;
  readonly watch: string;
  readonly alert: AlertRule;
  readonly targets: string;
}

/**
 * One line per alert: its name, its severity, its channels, and later or muted ones. If routes differ between the
 * instances of a watch, each instance has its own line.
 */
export function describeTargets(watches: readonly Watch[], routes: readonly Route[]): readonly string[] {
  const all = watches.flatMap((watch) =>
    watch.alerts.map((alert): Described => {
      const routing = routingOf(routes, alert.notify, labelsOf(watch, alert));
      return { rule: watch.rule, watch: watch.name, alert, targets: targetsText(alert, routing) };
    }),
  );
  const byAlert = Map.groupBy(all, ({ rule, alert }) => `${rule}/${alert.id}`);
  return inColumns(
    [...byAlert].flatMap(([name, instances]) => {
      const isSame = new Set(instances.map(({ targets }) => targets)).size === 1;
      if (isSame) return instances.slice(0, 1).map((one) => rowOf(name, one));
      return instances.map((one) => rowOf(`${one.watch}/${one.alert.id}`, one));
    }),
  );
}

function rowOf(name: string, { alert, targets }: Described): readonly string[] {
  return [name, alert.severity, targets];
}

/** `notifies ops; after 15m pager; where nobody is reached payments; muted sat sun 00:00-24:00 Europe/Berlin` */
export function targetsText(
  { severity }: Pick<AlertRule, 'severity'>,
  { channels, options: { escalate, failover, mute } }: Routing,
): string {
  return [
    `notifies ${channels.join(', ')}`,
    ...(escalate ?? []).map(({ afterMs, notify }) => `after ${formatDuration(afterMs)} ${notify.join(', ')}`),
    ...(failover === null || severity !== 'critical' ? [] : [`where nobody is reached ${failover.join(', ')}`]),
    ...(mute.length === 0 ? [] : [`muted ${mute.map(windowText).join(', ')}`]),
  ].join('; ');
}

function windowText({ days, from, to, zone }: MuteWindow): string {
  return `${days.length === 7 ? 'daily' : days.join(' ')} ${from}-${to} ${zone}`;
}
