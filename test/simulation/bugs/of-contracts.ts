// Bugs in what is decided about contracts: their events, their code, and the tokens that they move.
import type { BugOfAlerts } from './bug.ts';

const watched = 'contracts' as const;

export const BUGS_OF_CONTRACTS: Readonly<Record<string, BugOfAlerts>> = {
  'an event that moved to another block is another one': {
    edits: [
      {
        file: 'src/watches/logs/own-rows.ts',
        find: `  return \`\${contentOf(row)}:\${typeof nth === 'number' ? nth : 0}\`;`,
        replace: `  const moved = row.block_number === 1n ? '' : '@' + String(row.block_number);
  return contentOf(row) + ':' + String(typeof nth === 'number' ? nth : 0) + moved;`,
      },
    ],
    watched,
    caughtAs: ['invented'],
  },
  'equal events of a transaction are one': {
    edits: [
      {
        file: 'src/watches/logs/own-rows.ts',
        find: `    return before === 0 ? again(row) : withNumber(again(row), before);`,
        replace: `    return before >= 0 ? again(row) : withNumber(again(row), before);`,
      },
    ],
    watched,
    caughtAs: ['lost'],
  },
  'events below the newest known block are not read again': {
    edits: [
      {
        file: 'src/watches/ranges/range-list.ts',
        find: `  return isNear ? Math.min(from, downTo) : from;`,
        replace: `  return isNear && top < 0 ? Math.min(from, downTo) : Math.max(from, top);`,
      },
    ],
    watched,
    caughtAs: ['unnamed-gap'],
  },
  'what was there before the last change counts at once': {
    edits: [
      {
        file: 'src/watches/contract/acceptance.ts',
        find: `  if (scope.at - returningSince >= RETURN_MS)`,
        replace: `  if (scope.at - returningSince >= RETURN_MS - 600_000)`,
      },
    ],
    watched,
    caughtAs: ['invented'],
  },
  'an empty list of implementations is one': {
    edits: [
      {
        file: 'src/watches/contract/reading.ts',
        find: `  return byKey.size === 0 ? null : `,
        replace: `  return byKey.size < 0 ? null : `,
      },
    ],
    watched,
    caughtAs: ['invented'],
    under: ['lost-implementations'],
  },
  'code is foreign by what is shown, and not by what counts': {
    edits: [
      {
        file: 'src/watches/contract/detection.ts',
        find: `  const counting = isHeldBack ? known : listed;`,
        replace: `  const counting = isHeldBack && listed === null ? known : listed;`,
      },
    ],
    watched,
    caughtAs: ['falsely-resolved', 'invented'],
  },
  'a transfer of nothing is no claim': {
    edits: [
      {
        file: 'src/watches/transfers.ts',
        find: `  if (raw === 0n) return contract;`,
        replace: `  if (raw === 0n && moved?.reputation === 'scam') return contract;`,
      },
    ],
    watched,
    caughtAs: ['too-many'],
  },
  'tokens of the config are claimed like others': {
    edits: [
      {
        file: 'src/watches/transfers.ts',
        find: `  if (token?.equals(contract) === true || known(contract) !== null) return null;`,
        replace: `  if (token?.equals(contract) === true || known(contract) === '') return null;`,
      },
    ],
    watched,
    caughtAs: ['lost'],
  },
  'a transfer of the watched address goes in': {
    edits: [
      {
        file: 'src/watches/transfers.ts',
        find: `  if (isFrom) return isTo ? 'self' : 'out';`,
        replace: `  if (isFrom && isTo) return 'self';`,
      },
    ],
    watched,
    caughtAs: ['lost'],
  },
  'what lies between does not break a row': {
    edits: [
      {
        file: 'src/core/alerts/in-a-row.ts',
        find: `    if (isLongAnew(streak, limit)) long = streak;
    streak = [];`,
        replace: `    if (isLongAnew(streak, limit)) [long, streak] = [streak, []];`,
      },
    ],
    watched,
    caughtAs: ['invented', 'lost'],
  },
  'a row that is over before it is read is not told': {
    edits: [
      {
        file: 'src/core/alerts/in-a-row.ts',
        find: `  return long === null || streak.length >= limit ?`,
        replace: `  return long === null || streak.length < Infinity ?`,
      },
    ],
    watched,
    caughtAs: ['lost'],
  },
  'a row never ends': {
    edits: [
      {
        file: 'src/core/alerts/in-a-row.ts',
        find: `    if (isLongAnew(streak, limit)) long = streak;`,
        replace: `    if (streak.length >= limit) long = streak;`,
      },
    ],
    watched,
    caughtAs: ['lost'],
  },
};
