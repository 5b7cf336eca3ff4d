// Reports channels that only show the open alerts in `failover` and `escalate`, which need channels that send messages.
import type { Channel, ConfigRoute } from '../model.ts';
import type { Problem } from '../problem.ts';
import { quote } from '../values/scalars.ts';
import type { Path } from '../yaml/written.ts';
import type { Source } from '../yaml/yaml.ts';

export function mirrorsInRoutes(
  source: Source,
  routes: readonly ConfigRoute[],
  channels: ReadonlyMap<string, Channel>,
): Problem[] {
  return routes.flatMap(({ path, failover, escalate }) => {
    if (path === null) return [];
    const steps = (escalate ?? []).map(({ notify }, i) => [notify, [...path, 'escalate', i, 'notify']] as const);
    const places: (readonly [readonly string[], Path])[] = [[failover ?? [], [...path, 'failover']], ...steps];
    return places.flatMap(([names, at]) =>
      names
        .filter((name) => channels.get(name)?.notifier.mirror !== undefined)
        .map((name) =>
          source.problem(at, {
            message: `${quote(name)} cannot be used here: it schedules its own messages`,
            hint: HINT,
          }),
        ),
    );
  });
}

const HINT = 'Name a channel that notifies somebody.';
