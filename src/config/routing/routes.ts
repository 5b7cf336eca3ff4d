// `routes` of the config: which channels get which alerts. Routes are compared with alerts in `src/rules/route-use.ts`.
import { parseAt } from '../issues.ts';
import type { ConfigRoute } from '../model.ts';
import { hintFor } from '../values/nearest.ts';
import type { Problem } from '../problem.ts';
import { RouteShape, type WrittenRoute } from './route-shape.ts';
import { formatDuration } from '../../lib/durations.ts';
import { quote } from '../values/scalars.ts';
import type { Path, ProblemAt } from '../yaml/written.ts';
import type { Source } from '../yaml/yaml.ts';

/** Reads the routes in their order. If there is only one channel, a last route to it is added. */
export function readRoutes(
  source: Source,
  written: readonly unknown[],
  channels: readonly string[],
): { value: readonly ConfigRoute[]; problems: readonly Problem[] } {
  const problems: Problem[] = [];
  const routes = written.flatMap((one, i) => {
    const path = ['routes', i];
    const parsed = parseAt(RouteShape, one, { source, path });
    problems.push(...('problems' in parsed ? parsed.problems : problemsOf(parsed.value, path, source, channels)));
    return 'value' in parsed ? [routeOf(parsed.value, path)] : [];
  });
  const toTheOnly = channels.length === 1 ? [routeOf({ match: {}, notify: [...channels] }, null)] : [];
  return { value: [...routes, ...toTheOnly], problems };
}

function problemsOf(route: WrittenRoute, path: Path, source: Source, channels: readonly string[]): Problem[] {
  const problems: Problem[] = [];
  const complain = (at: Path, problem: ProblemAt): void => {
    problems.push(source.problem([...path, ...at], problem));
  };
  const { match: _match, ...set } = route;
  for (const [names, at] of namedIn(route))
    for (const [i, name] of names.entries())
      if (!channels.includes(name))
        complain(names.length > 1 ? [...at, i] : at, {
          message: `no channel ${quote(name)}`,
          hint: hintFor(name, channels),
        });
  for (const [i, { after }] of (route.escalate ?? []).entries())
    if (after <= (route.escalate?.[i - 1]?.after ?? 0))
      complain(['escalate', i, 'after'], {
        message: `${formatDuration(after)} is not after the step before`,
        hint: 'Each step waits longer than the one before, from the first message on.',
      });
  if (Object.keys(set).length === 0)
    complain([], { message: 'the route sets nothing', hint: 'Write notify, add, or how the alerts are sent.' });
  return problems;
}

/** All names of channels in a route, with their places. */
function namedIn({ notify = [], add = [], failover = [], escalate = [] }: WrittenRoute): [readonly string[], Path][] {
  return [
    [notify, ['notify']],
    [add, ['add']],
    [failover, ['failover']],
    ...escalate.map((step, i): [readonly string[], Path] => [step.notify, ['escalate', i, 'notify']]),
  ];
}

function routeOf(written: WrittenRoute, path: Path | null): ConfigRoute {
  return {
    path,
    match: written.match,
    notify: written.notify ?? null,
    add: written.add ?? [],
    groupBy: written.group_by ?? null,
    groupWaitMs: written.group_wait ?? null,
    groupIntervalMs: written.group_interval ?? null,
    repeatMs: written.repeat ?? null,
    requireAck: written.require_ack ?? null,
    escalate: written.escalate?.map(({ after, notify }) => ({ afterMs: after, notify })) ?? null,
    failover: written.failover ?? null,
    mute: written.mute ?? [],
  };
}
