// Bugs in who is told, and when.
import type { BugOfPeople, TestedBug } from './bug.ts';

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
        find: ' AND ${FIRST_OF_ITS_ALERT}`;',
        replace: '`;',
      },
    ],
    caughtAs: ['stale overtaken'],
    under: ['sink-5xx', 'sink-4xx', 'slow-sink'],
  },
  'steps that a reload adds call somebody for events of before': {
    edits: [
      {
        file: 'src/dispatch/escalate.ts',
        find: `alert.needsAck ? (alert.routing.options.escalate ?? []) : []`,
        replace: `alert.routing.options.escalate ?? []`,
      },
    ],
    caughtAs: ['step-wrong early'],
    seed: '7',
  },
  'an untold member left out of a summary': {
    edits: [
      {
        file: 'src/dispatch/rounds/due-round.ts',
        find: `  const lines = counted.flatMap(({ one }) => one.next.lines);`,
        replace: `  const lines = counted.slice(0, Math.max(1, counted.length - 1)).flatMap(({ one }) => one.next.lines);`,
      },
    ],
    caughtAs: ['summary-wrong event', 'unsent event'],
  },
  'a raised severity that nobody hears': {
    edits: [
      {
        file: 'src/engine/dispatching/rerouting.ts',
        find: `isHigher(rule.severity, severity)`,
        replace: `isHigher(severity, rule.severity)`,
      },
    ],
    caughtAs: ['unsent raised'],
    seed: '33',
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
  }`,
        replace: `    owed.items.push({ ...one, from: one.seq, as: 'news', isEnd: true });
    return;
  }`,
      },
      {
        file: 'src/dispatch/owed.ts',
        find: `return begun !== null || wanted > closed;`,
        replace: `return begun !== null || wanted >= closed;`,
      },
    ],
    caughtAs: ['invented end-without-begin'],
  },
  'whoever was called in once is told of each later episode': {
    edits: [
      {
        file: 'src/dispatch/rounds/route-round.ts',
        find: `const last = isEnd(notification.transition) ? 'route' : via;`,
        replace: `const last = isEnd(notification.transition) ? via : via;`,
      },
    ],
    caughtAs: ['step-wrong early'],
  },
  'critical messages that share the cap of all others': {
    edits: [
      {
        file: 'src/dispatch/decide-group.ts',
        find: `return (member) => (isCritical(member) ? critical.has(member) : isOpenToCommon);`,
        replace: `return () => !isCommonFull(cap, sent, context.now);`,
      },
      {
        file: 'src/dispatch/decide-group.ts',
        find: `  if (critical === null) sent.common.push(at);
  else {
    sent.critical`,
        replace: `  sent.common.push(at);
  if (critical !== null) {
    sent.critical`,
      },
      {
        file: 'src/dispatch/batches.ts',
        find: `} else if (critical === null) sent.common.push(at);
    else sent.critical`,
        replace: `} else sent.common.push(at);
    if (critical !== null) sent.critical`,
      },
    ],
    caughtAs: ['unsent begin', 'unsent event'],
  },
  'an acknowledgement that ends tells nobody': {
    edits: [
      {
        file: 'src/dispatch/rounds/call-round.ts',
        find: `...(hasEnded ?`,
        replace: `...(hasEnded && alert.isEvent ?`,
      },
    ],
    caughtAs: ['unsent ack-ended'],
  },
  'after an acknowledgement the steps go on from the first message': {
    edits: [
      {
        file: 'src/dispatch/rounds/call-round.ts',
        find: `{ ...before, calledFrom, calls: {}, hasFailedOver: false }`,
        replace: `{ ...before }`,
      },
    ],
    caughtAs: ['step-wrong early', 'step-wrong step'],
    seed: '33',
  },
  'steps that are counted for all targets together': {
    edits: [
      {
        file: 'src/dispatch/escalate.ts',
        find: `.filter(([key, some]) => some.length > (calls[key] ?? 0))`,
        replace: `.filter(([, some]) => some.length > Object.values(calls).reduce((sum, one) => sum + one, 0))`,
      },
    ],
    caughtAs: ['step-wrong step'],
  },
  'a reload that tells nobody of what is open': {
    edits: [{ file: 'src/dispatch/reroute.ts', find: `owing: joining.map(owing),`, replace: `owing: [],` }],
    caughtAs: ['unsent reload'],
  },
  'what waited for a target that a reload left out is dropped': {
    edits: [
      {
        file: 'src/dispatch/reroute.ts',
        find: `({ lost, waiting }) => (began === null ? lost : waiting) ?? []`,
        replace: `(): Unsent[] => []`,
      },
    ],
    caughtAs: ['unsent reload', 'unsent event'],
  },
  'a begin that was refused at each try counts as told': {
    edits: [
      {
        file: 'src/store/tables/alerts/recipient-states.ts',
        find: 'CASE WHEN ${MAY_HAVE_ARRIVED} THEN',
        replace: `CASE WHEN mine.attempt > 0 THEN`,
      },
    ],
    caughtAs: ['invented end-without-begin'],
  },
  'an event that has to be acknowledged is over after a day': {
    edits: [
      {
        file: 'src/core/model/transition.ts',
        find: `EVENT_OPEN_MS = 7 * 86_400_000`,
        replace: `EVENT_OPEN_MS = 86_400_000`,
      },
    ],
    caughtAs: ['step-wrong step', 'repeat-wrong repeat', 'repeat-wrong member-missing'],
  },
  'an event that waits is dropped by an inhibition that begins only then': {
    edits: [
      {
        file: 'src/dispatch/decide.ts',
        find: `every(({ at }) => dropsSince <= at && at <= now)`,
        replace: `every(({ at }) => at <= now)`,
      },
      {
        file: 'src/dispatch/decide.ts',
        find: `!member.isEvent || state.held !== null) return false;`,
        replace: `!member.isEvent) return false;`,
      },
    ],
    caughtAs: ['unsent event', 'unsent reload', 'summary-wrong reload'],
    seed: '33',
  },
  'an inhibition by severity mutes what the daemon tells of itself': {
    edits: [
      {
        file: 'src/dispatch/policy/match.ts',
        find: `return (labels['watch'] !== BUILT_IN_RULE || namesSelf(matchers)) && matches(matchers, labels);`,
        replace: `return matches(matchers, labels);`,
      },
    ],
    caughtAs: ['unsent event'],
    seed: '11',
  },
  'a repeat that is over the cap before its time': {
    edits: [
      {
        file: 'src/dispatch/decide-group.ts',
        find: `if (at <= round.context.now) overCap(round, one);`,
        replace: `if (at > 0) overCap(round, one);`,
      },
    ],
    caughtAs: ['repeat-wrong early', 'repeat-wrong repeat', 'unsent begin'],
  },
  'a second step that counts as taken while the first one is still tried': {
    edits: [
      {
        file: 'src/dispatch/escalate.ts',
        find: `behind.filter(([key]) => !waiting.has(key));`,
        replace: `behind;`,
      },
    ],
    caughtAs: ['step-wrong step'],
    seed: '24',
  },
  'events that were folded into one call nobody in': {
    edits: [
      {
        file: 'src/dispatch/rounds/route-round.ts',
        find: `isOfEvents(notification) ? turnedBy(notification, rules) : membersClosed(notification);`,
        replace: `isOfEvents(notification) ? [] : membersClosed(notification);`,
      },
    ],
    caughtAs: ['step-wrong step', 'step-wrong failover', 'unsent reload'],
  },
  'events that were folded into one are counted as one below the list': {
    edits: [
      {
        file: 'src/store/tables/deliveries/delivery-members.ts',
        find: "CAST(sum(coalesce(${d.jsonLength('summary')}, 1)) AS bigint) AS count,",
        replace: `count(*) AS count,`,
      },
    ],
    caughtAs: ['summary-wrong counts'],
  },
  'events that are retracted together stay open': {
    edits: [
      {
        file: 'src/dispatch/rounds/route-round.ts',
        find: `if (!isEnd(notification.transition)) return [];`,
        replace: `if (notification.members.length > 0) return [];`,
      },
    ],
    caughtAs: ['step-wrong early', 'stale begin'],
    seed: '33',
  },
  'a program is never told of an event that somebody acknowledged while it was held': {
    edits: [
      {
        file: 'src/dispatch/decide.ts',
        find: `if (answered !== null) return { type: 'hold', hold: answered };`,
        replace: `if (answered !== null) return member.isEvent ? ANSWERED : { type: 'hold', hold: answered };`,
      },
    ],
    caughtAs: ['unsent event'],
    seed: '24',
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
  'a step that was held calls whoever a reload left out of it': {
    edits: [
      {
        file: 'src/dispatch/rounds/call-round.ts',
        find: `if (waiting.length === 0) return [];`,
        replace: `if (waiting.length >= 0) return [];`,
      },
    ],
    caughtAs: ['step-wrong early'],
    seed: '16',
  },
  'an acknowledgement that has ended is in force again when the clock is set back': {
    edits: [
      {
        file: 'src/store/tables/operators/policy.ts',
        find: `sql.run(byMs > 0 ? FORWARD : BACK, [byMs, now]);`,
        replace: `sql.run(byMs === 0 ? BACK : FORWARD, [Math.max(byMs, 0), now]);`,
      },
    ],
    caughtAs: ['step-wrong step'],
    seed: '17',
  },
  'whoever a reload names while an event is snoozed never hears of it': {
    edits: [
      {
        file: 'src/dispatch/rounds/call-round.ts',
        find: `const owing = alert.isEvent`,
        replace: `const owing = alert.isEvent && alert.began < 0`,
      },
    ],
    caughtAs: ['unsent reload'],
    seed: '18',
  },
  'a first try that waited asks nobody whether it may still go': {
    edits: [
      {
        file: 'src/engine/sending/may-send.ts',
        find: `const UNDER_WAY_MS = 10_000;`,
        replace: `const UNDER_WAY_MS = Infinity;`,
      },
    ],
    caughtAs: ['against-a-hold event', 'against-a-hold begin'],
    under: [
      'receiver-fails',
      'receiver-slow',
      'silence',
      'mutes-changed',
      'muted-now',
      'slow-sink',
      'sink-5xx',
      'flap',
      'inhibition-changed',
      'storm',
      'reload',
    ],
    seed: '2',
  },
};

/** What they need is met too rarely in ten days. */
export const RARE_BUGS_OF_PEOPLE: Readonly<Record<string, TestedBug>> = {
  'a message about several alerts that waits for an earlier one about any of them': {
    edits: [
      {
        file: 'src/dispatch/decide-group.ts',
        find: `for (const some of inMessages(news)) {`,
        replace: `for (const some of [inMessages(news).flat()]) {`,
      },
    ],
    tests: 'test/dispatch/stories.test.ts',
    caughtBy: 'an alert does not wait for a message about another one that is refused',
  },
  'the end of what was critical counts as its rule in force has it': {
    edits: [
      {
        file: 'src/store/tables/alerts/due-groups.ts',
        find: `severity: severityIn(row['severity']) ?? described.severity,`,
        replace: `severity: severityIn(row['seq']) ?? described.severity,`,
      },
    ],
    tests: 'test/dispatch/calls.test.ts',
    caughtBy: 'the end of what was critical takes a share of critical messages, though its rule is a warning by now',
  },
};
