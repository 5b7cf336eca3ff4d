// Bugs in who is told, and when.
import type { BugOfPeople } from './bug.ts';

export const BUGS_OF_PEOPLE: Readonly<Record<string, BugOfPeople>> = {
  'told again after an hour': {
    edits: [
      {
        file: 'src/dispatch/group.ts',
        find: `const REPEAT_MS = 4 * 3_600_000;`,
        replace: `const REPEAT_MS = 3_600_000;`,
      },
    ],
    caughtAs: ['repeat-wrong early'],
  },
  'later ones sent before earlier ones': {
    edits: [
      {
        file: 'src/store/tables/deliveries/deliveries.ts',
        find: 'AND ${RULE_HAS_ROOM} AND ${FIRST_OF_ITS_ALERT}`;',
        replace: 'AND ${RULE_HAS_ROOM}`;',
      },
    ],
    caughtAs: ['stale overtaken'],
    under: ['sink-5xx', 'sink-4xx', 'slow-sink'],
  },
  'an untold member left out of a summary': {
    edits: [
      {
        file: 'src/dispatch/summaries.ts',
        find: `  const lines = counted.flatMap(({ one }) => one.next.lines);`,
        replace: `  const lines = counted.slice(0, Math.max(1, counted.length - 1)).flatMap(({ one }) => one.next.lines);`,
      },
    ],
    caughtAs: ['summary-wrong event', 'unsent event'],
  },
  'a repeat to an acknowledged target': {
    edits: [
      {
        file: 'src/dispatch/policy/holds.ts',
        find: `    holdOfAck(context, member) ??
    unpolled`,
        replace: `    unpolled`,
      },
    ],
    caughtAs: ['repeat-wrong repeat'],
  },
  'an end to who was never sent the begin': {
    edits: [
      {
        file: 'src/dispatch/owed.ts',
        find: `    owed.dropped ??= 'not-told';
    return;
  }
  // What is owed`,
        replace: `    owed.items.push({ ...one, from: one.seq, as: 'news', isEnd: true });
    return;
  }
  // What is owed`,
      },
      {
        file: 'src/dispatch/owing.ts',
        find: `  return begun !== null && (isEnd(transition)`,
        replace: `  return (begun !== null || isEnd(transition)) && (isEnd(transition)`,
      },
    ],
    caughtAs: ['invented end-without-begin'],
  },
  'a failover that skips events': {
    edits: [
      {
        file: 'src/dispatch/rounds/call-round.ts',
        find: `    ...called.failover.flatMap(`,
        replace: `    ...(alert.isEvent ? [] : called.failover).flatMap(`,
      },
    ],
    caughtAs: ['step-wrong failover'],
  },
};
