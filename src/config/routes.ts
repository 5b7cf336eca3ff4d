// `routes` of the config: who hears which alerts. Whether an alert matches is known only with the rules, in
// `rules/route-use.ts`.
import { parseAt } from './issues.ts';
import type { ConfigRoute } from './model.ts';
import { hintFor } from './nearest.ts';
import type { Problem } from './problem.ts';
import { RouteShape, type WrittenRoute } from './route-shape.ts';
import { quote } from './scalars.ts';
import type { Path } from './yaml/written.ts';
import type { Source } from './yaml/yaml.ts';

/** The routes in their order. Where there is only one channel, a last route leads to it. */
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
  const unknown = (['notify', 'add'] as const).flatMap((key) => {
    const names = route[key] ?? [];
    return names.flatMap((name, i) => {
      const at = names.length > 1 ? [...path, key, i] : [...path, key];
      const message = `no channel ${quote(name)}`;
      return channels.includes(name) ? [] : [source.problem(at, { message, hint: hintFor(name, channels) })];
    });
  });
  if (route.notify !== undefined || route.add !== undefined) return unknown;
  return [source.problem(path, { message: 'the route sets nothing', hint: 'Write notify or add.' })];
}

function routeOf({ match, notify, add }: WrittenRoute, path: Path | null): ConfigRoute {
  return {
    path,
    match,
    notify: notify ?? null,
    add: add ?? [],
    groupBy: null,
    groupWaitMs: null,
    groupIntervalMs: null,
    repeatMs: null,
    requireAck: null,
    escalate: null,
    failover: null,
    mute: [],
  };
}
