// Bugs in what is decided about alerts.
import type { BugOfAlerts } from './bug.ts';

export const BUGS_OF_ALERTS: Readonly<Record<string, BugOfAlerts>> = {
  'bare high-water mark': {
    edits: [
      {
        file: 'src/watches/list-state.ts',
        find: `  return key === undefined || isFromBefore(known, position) || known.blockByKey.has(key);`,
        replace: `  const highest = Math.max(known.floor, ...known.blockByKey.values());
  return key === undefined || isFromBefore({ ...known, floor: highest }, position) || known.blockByKey.has(key);`,
      },
    ],
    caughtAs: ['lost'],
  },
  'resolve on error': {
    edits: [
      {
        file: 'src/core/alerts/conditions/condition-state.ts',
        find: `  const output = compare(truths, before);
  if (output === 'unknown')`,
        replace: `  const compared = compare(truths, before);
  const output = compared === 'unknown' ? false : compared;
  if (compared === 'unknown' && time.at < 0)`,
      },
    ],
    caughtAs: ['falsely-resolved'],
  },
  // The version stays that of the store: else the next commit is superseded, and the memory read again.
  'cursor before commit': {
    edits: [
      {
        file: 'src/engine/polling/commit.ts',
        find: `<= MOST_REFUSED) keepRefused(polls, state, next);`,
        replace: `<= MOST_REFUSED) state.memory = { ...next.memory, version: next.expects };`,
      },
    ],
    caughtAs: ['lost'],
    under: ['commit-refused'],
  },
  'empty on error': {
    edits: [
      {
        file: 'src/watches/newest-first-list.ts',
        find: `  const page = await firstPage(question, state, read, options);`,
        replace: `  const page = await firstPage(question, state, read, options).catch(() => ({ rows: [], next: null, content: {} }));`,
      },
      {
        file: 'src/explorer/reading/paging.ts',
        find: `await Promise.resolve(asked).catch((error: unknown) => missedPage(error, at));`,
        replace: `await Promise.resolve(asked).catch(() => ({ rows: [], next: null }));`,
      },
      // Three empty readings are asked for: most errors are over by then.
      {
        file: 'src/watches/lists/emptied.ts',
        find: `const READINGS_NEEDED = 3;`,
        replace: `const READINGS_NEEDED = 1;`,
      },
    ],
    caughtAs: ['invented', 'wrongly-retracted'],
    under: ['server-error', 'unavailable', 'truncated'],
  },
  'no sweep': {
    edits: [
      {
        file: 'src/watches/lists/sweep.ts',
        find: `  return open === null && hour !== now;`,
        replace: `  return false;`,
      },
    ],
    caughtAs: ['lost'],
  },
  'a gap ignored': {
    edits: [
      {
        file: 'src/watches/lists/older-rows.ts',
        find: `  return gaps.filter(({ to }) => to > floor);`,
        replace: `  return [];`,
      },
      {
        file: 'src/watches/lists/coverage.ts',
        find: `[...gaps.map((gap) => unreadOf(gap, floor)), ...beyondLookBack(state)]`,
        replace: `beyondLookBack(state)`,
      },
    ],
    caughtAs: ['unnamed-gap'],
    under: ['burst', 'downtime', 'unavailable'],
  },
  'a max_pages gap dropped': {
    edits: [
      {
        file: 'src/watches/lists/detection.ts',
        find: `  if (stopped === null) return gaps;`,
        replace: `  if (stopped === null || stopped.why.endsWith('pages read')) return gaps;`,
      },
    ],
    caughtAs: ['unnamed-gap'],
    under: ['burst', 'downtime', 'unavailable'],
  },
  'floor 0 at an empty baseline': {
    edits: [
      {
        file: 'src/watches/lists/detection.ts',
        find: `  const floor = isPlaced ? highest : typeof chain === 'object' ? chain.head : 0;`,
        replace: `  const floor = isPlaced ? highest : 0;`,
      },
    ],
    caughtAs: ['invented'],
  },
  'absence above the head believed': {
    edits: [
      {
        file: 'src/core/alerts/events/event-sighting.ts',
        find: `  if (to !== null && block <= to)`,
        replace: `  if (to !== null)`,
      },
    ],
    caughtAs: ['wrongly-retracted'],
  },
  'superseded not healed': {
    edits: [
      {
        file: 'src/engine/polling/commit.ts',
        find: `  if (end !== 'superseded' || (await`,
        replace: `  if (end !== 'superseded' || whole !== null || (await`,
      },
    ],
    caughtAs: ['lost'],
    under: ['commit-superseded'],
  },
  'windows drop ties': {
    edits: [
      {
        file: 'src/core/windows/stored-window.ts',
        find: `  if (runs.at(-1)?.value.equals(run.value) === true) runs.pop();`,
        replace: `  if (runs.at(-1)?.value.equals(run.value) === true) return;`,
      },
    ],
    caughtAs: ['invented', 'lost'],
  },
  '`until` while pending': {
    edits: [
      {
        file: 'src/core/alerts/conditions/condition-state.ts',
        find: ` || state === 'pending') return false;`,
        replace: `) return false;`,
      },
    ],
    caughtAs: ['invented'],
  },
  'nothing remembered for `on: removed`': {
    edits: [
      {
        file: 'src/rules/compile/instance.ts',
        find: ` && (rule.on === 'changed' || rule.on === 'removed');`,
        replace: ` && rule.on === 'changed';`,
      },
      {
        file: 'src/rules/compile/instance.ts',
        find: `  return [...shown, ...(rule.title?.reads ?? []), ...(rule.text?.reads ?? [])];`,
        replace: `  return shown.slice(shown.length);`,
      },
    ],
    caughtAs: ['lost'],
  },
  'a token gone by one poll': {
    edits: [
      {
        file: 'src/watches/holdings/missing.ts',
        find: `isBelieved || isConfirmed(before, key, scope);`,
        replace: `isBelieved || scope.at > 0 || isConfirmed(before, key, scope);`,
      },
    ],
    caughtAs: ['invented'],
  },
  'a cooldown prolonged by ends that it held back': {
    edits: [
      {
        file: 'src/core/alerts/emission.ts',
        find: `return suppress({ ...state, flaps: state.flaps + 1 }, 'cooldown');`,
        replace: `return suppress({ ...state, ...cooling, flaps: state.flaps + 1 }, 'cooldown');`,
      },
    ],
    caughtAs: ['lost'],
    under: ['flap'],
  },
  'due times of a cron at all hours': {
    edits: [
      {
        file: 'src/core/model/watch/schedule.ts',
        find: `schedule.times.after(isStretched ? now + PACE_SLACK * paceMs : now)`,
        replace: `now + schedule.intervalMs`,
      },
    ],
    caughtAs: ['invented'],
  },
  'a report told by any poll': {
    edits: [
      {
        file: 'src/core/alerts/reports.ts',
        find: `!(poll.isComplete && isKnown) &&`,
        replace: `poll.detection === null &&`,
      },
    ],
    caughtAs: ['invented'],
    under: ['missing-field'],
  },
  'a due time used up by a poll that does not know the condition': {
    edits: [
      {
        file: 'src/core/alerts/reports.ts',
        find: `  if (isWaiting) return { ...evaluation, ...waiting(known, due) };`,
        replace: `  if (isWaiting) return truth === 'unknown' && poll.detection !== null ? evaluation : { ...evaluation, ...waiting(known, due) };`,
      },
    ],
    caughtAs: ['lost'],
    under: ['missing-field'],
  },
  'a count that goes on under another meaning': {
    edits: [
      {
        file: 'src/core/step.ts',
        find: `(alert.type !== 'group' || alert.meaning === '' || alert.meaning === meaning)`,
        replace: `meaning !== ' '`,
      },
    ],
    caughtAs: ['invented', 'lost'],
    under: ['rule-edited'],
  },
  'an event is final though its block was never read again': {
    edits: [
      {
        file: 'src/core/alerts/events/event-state.ts',
        find: `life.state === 'suspect' || mayBeGone;`,
        replace: `(life.state === 'suspect' && mayBeGone !== undefined);`,
      },
    ],
    caughtAs: ['lost'],
    under: ['reorg', 'storm', 'burst', 'stalled', 'lagging-replica', 'drained', 'downtime', 'kill'],
    seed: '20',
  },
};
