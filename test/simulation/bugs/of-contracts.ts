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
        find: `    return withNumber(again(row), before);`,
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
  'a revert is taken for zero': {
    edits: [
      {
        file: 'src/watches/read/answers.ts',
        find: `  if (answer?.type !== 'value') return lacking(answer?.type ?? 'failed');`,
        replace: `  if (answer?.type === 'reverted') return known('0');
  if (answer?.type !== 'value') return lacking(answer?.type ?? 'failed');`,
      },
    ],
    watched,
    caughtAs: ['invented'],
  },
  'a value below confirmations is read at the newest block': {
    edits: [
      {
        file: 'src/watches/read/asking.ts',
        find: `  return { ...asked, question: atBlock(asked.question, height) };`,
        replace: `  return { ...asked, question: atBlock(asked.question, height + 12) };`,
      },
    ],
    watched,
    caughtAs: ['invented'],
  },
  'a value is compared with the one of an old question': {
    edits: [
      {
        file: 'src/watches/read/detection.ts',
        find: `filter((name) => definitions[name] !== state.definitions[name]);`,
        replace: `filter((name) => definitions[name] === undefined && state.definitions[name] !== '');`,
      },
    ],
    watched,
    caughtAs: ['invented', 'doubled'],
    under: ['rule-edited'],
    seed: '5',
  },
  'one call that reverts leaves all values as they were': {
    edits: [
      {
        file: 'src/watches/read/detection.ts',
        find: `  if (state !== null && age !== null && age.doubt !== null)
    return {`,
        replace: `  if (state !== null && Object.values(lacks).includes('reverted'))
    return { ...NOTHING_DETECTED, state, before: state.values, doubt: 'a call reverts' };
  if (state !== null && age !== null && age.doubt !== null)
    return {`,
      },
    ],
    watched,
    caughtAs: ['lost'],
  },
  'a reading of a replica that is behind counts at once': {
    edits: [
      {
        file: 'src/watches/read/detection.ts',
        find: `const BELIEVED_AFTER = 3;`,
        replace: `const BELIEVED_AFTER = 1;`,
      },
    ],
    watched,
    caughtAs: ['invented'],
    under: ['lagging-replica'],
  },
  'an answer of odd length is read without its last digit': {
    edits: [
      {
        file: 'src/watches/read/answers.ts',
        find: `  if (hex.length % 2 === 1 || hex.length > 2 + LARGEST_DATA * 2) return undefined;`,
        replace: `  if (hex.length > 2 + LARGEST_DATA * 2) return undefined;`,
      },
    ],
    watched,
    caughtAs: ['invented', 'falsely-resolved'],
    under: ['odd-length'],
  },
  'coins that are not known are none': {
    edits: [
      {
        file: 'src/watches/read/answers.ts',
        find: `  if (spec.type === 'balance') return known(isWord ? BigInt(answer.hex).toString() : undefined);`,
        replace: `  if (spec.type === 'balance') return known(isWord ? BigInt(answer.hex).toString() : '0');`,
      },
    ],
    watched,
    caughtAs: ['invented'],
    under: ['nothing-returned'],
  },
};
