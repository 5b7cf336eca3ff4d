// Finds functions whose calls are watched if accounts make them, but not if contracts make them, or the other way
// round.
import { fileProblem, type Problem } from '../config/problem.ts';
import type { CalledFunctions } from '../core/model/watch/kind.ts';
import type { AlertRule, Watch } from '../core/model/watch/watch.ts';

interface Seen extends CalledFunctions {
  readonly watch: Watch;
}

/** A warning for each watch that sees calls of a function which no other watch sees from the other callers. */
export function halfWatched(watches: readonly Watch[]): Problem[] {
  const byTarget = new Map<string, Seen[]>();
  for (const watch of watches) {
    const { kind, target } = watch;
    const called = kind.calledFunctions?.(target.options, watch.alerts.map(readsOf)) ?? null;
    if (called === null || target.address === null) continue;
    const key = `${target.explorer} ${target.address.key}`;
    byTarget.set(key, [...(byTarget.get(key) ?? []), { ...called, watch }]);
  }
  const found = [...byTarget.values()].flatMap((seen) => seen.flatMap((one) => warningOf(one, seen)));
  const placed = new Map(found.map((problem) => [`${problem.file}:${problem.line} ${problem.message}`, problem]));
  return [...placed.values()];
}

function readsOf(alert: AlertRule): readonly string[] {
  return 'if' in alert ? (alert.if?.reads ?? []) : [];
}

const CALLERS: Readonly<Record<CalledFunctions['by'], string>> = {
  accounts: 'only where an account signs the call, not where a Safe or another contract makes it',
  contracts: 'only where a contract makes the call, not where an account signs it',
};

function warningOf({ watch, by, names, hint }: Seen, seen: readonly Seen[]): Problem[] {
  const others = seen.filter((other) => other.by !== by);
  const alone = [...(names ?? [])].filter(
    ([selector]) => !others.some((other) => other.names === null || other.names.has(selector)),
  );
  if (alone.length === 0) return [];
  const [, file = watch.source, line = '1'] = /^(.*):(\d+)$/.exec(watch.source) ?? [];
  const functions = [...new Set(alone.map(([, name]) => name))].join(', ');
  const of = watch.of?.name ?? watch.of?.address ?? '';
  return [{ ...fileProblem(file, `${functions} of ${of}: watched ${CALLERS[by]}`, hint), line: Number(line) }];
}
