// Nothing is asked before the limiter allows it, nor what is not left of a plan that suffices. A process that has just begun does not know what was said before.
import type { Instant, Verdict } from '../model.ts';
import type { Evidence } from './evidence.ts';

export function judgeSpending({ logs: { served, lives } }: Evidence): Verdict[] {
  const verdicts: Verdict[] = [];
  let restsUntil = -Infinity;
  let life = 0;
  for (const { at, path, restsUntil: asked, isUnpaid } of served) {
    for (let end = lives[life]?.to ?? Infinity; end < at; end = lives[life]?.to ?? Infinity) {
      life += 1;
      restsUntil = -Infinity;
    }
    if (at < restsUntil) verdicts.push({ check: 'overspent', at, watch: path, what: early(at, restsUntil) });
    if (isUnpaid)
      verdicts.push({ check: 'overspent', at, watch: path, what: 'asked although nothing was left of the plan' });
    restsUntil = Math.max(restsUntil, asked ?? -Infinity);
  }
  return verdicts;
}

function early(at: Instant, restsUntil: Instant): string {
  return `asked ${restsUntil - at} ms before the limiter's reset`;
}
