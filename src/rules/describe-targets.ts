// The part of `check` that says who is told of each alert.
import type { AlertRule, Watch } from '../core/model/watch.ts';
import { inColumns } from '../lib/columns.ts';

interface Described {
  readonly rule: string;
  readonly watch: string;
  readonly alert: AlertRule;
  readonly channels: string;
}

/**
 * One line per alert: its name, its severity and its channels. Where routes send the instances of a watch to different
 * channels, each instance has its own line.
 */
export function describeTargets(watches: readonly Watch[]): readonly string[] {
  const all = watches.flatMap(({ rule, name, alerts }) =>
    alerts.map((alert): Described => ({ rule, watch: name, alert, channels: channelsOf(alert) })),
  );
  const byAlert = Map.groupBy(all, ({ rule, alert }) => `${rule}/${alert.id}`);
  return inColumns(
    [...byAlert].flatMap(([name, instances]) => {
      const isSame = new Set(instances.map(({ channels }) => channels)).size === 1;
      return isSame
        ? instances.slice(0, 1).map((one) => rowOf(name, one))
        : instances.map((one) => rowOf(`${one.watch}/${one.alert.id}`, one));
    }),
  );
}

function rowOf(name: string, { alert, channels }: Described): readonly string[] {
  return [name, alert.severity, `notifies ${channels}`];
}

function channelsOf({ notify }: AlertRule): string {
  return notify.join(', ');
}
