// Nothing is asked before the limiter allows it, nor what is not left of a plan that suffices. Where intervals stay as they
// are, the credits run out: then few ask whether they are refilled. A process that has just begun does not know what was
// said before.
import type { Instant, Served, Verdict } from '../model.ts';
import type { Evidence } from './evidence.ts';

const HOUR_MS = 3_600_000;
/** Requests that leave together are refused together. */
const TOGETHER_MS = 5000;
/** Every ten minutes, sooner where a header speaks against it, and once in each process. */
const MOST_PROBES_AN_HOUR = 15;

export function judgeSpending({ logs: { served, lives, stretch } }: Evidence): Verdict[] {
  const verdicts: Verdict[] = [];
  let restsUntil = -Infinity;
  let life = 0;
  for (const { at, path, restsUntil: asked, isUnpaid } of served) {
    for (let end = lives[life]?.to ?? Infinity; end < at; end = lives[life]?.to ?? Infinity) {
      life += 1;
      restsUntil = -Infinity;
    }
    if (at < restsUntil) verdicts.push({ check: 'overspent', at, watch: path, what: early(at, restsUntil) });
    if (isUnpaid && stretch === 'on')
      verdicts.push({ check: 'overspent', at, watch: path, what: 'asked although nothing was left of the plan' });
    restsUntil = Math.max(restsUntil, asked ?? -Infinity);
  }
  return stretch === 'on' ? verdicts : [...verdicts, ...tooManyProbes(served)];
}

function tooManyProbes(served: readonly Served[]): Verdict[] {
  const refused = served.filter(({ isUnpaid }) => isUnpaid);
  const begun = refused.filter(({ at }, n) => at - (refused[n - 1]?.at ?? -Infinity) > TOGETHER_MS);
  return begun.flatMap(({ at, path }, n): Verdict[] => {
    const before = begun[n - MOST_PROBES_AN_HOUR];
    if (before === undefined || at - before.at > HOUR_MS) return [];
    return [
      {
        check: 'overspent',
        at,
        watch: path,
        what: `asked ${MOST_PROBES_AN_HOUR + 1} times in an hour without credits`,
      },
    ];
  });
}

function early(at: Instant, restsUntil: Instant): string {
  return `asked ${restsUntil - at} ms before the limiter's reset`;
}
