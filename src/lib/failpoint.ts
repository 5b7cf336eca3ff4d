// The list of all moments at which the end of the process could lose a message or send it twice. The tests start the
// same daemon with another function instead of `failpoint`, and kill it at each of these moments.

/**
 * Transactions of the state file. Each has one point before its commit, when all of its rows are written, and one point
 * after it.
 */
export const STEPS = {
  migrate: 'the file is brought to the newest schema',
  'take-over': 'this process becomes the one that may write',
  commit: 'what a poll or a self-alert decided: memory, notifications, journal',
  'add-details': 'what the explorer says of the transaction of a new notification',
  'commit-routing': 'whom new notifications are owed to',
  'commit-due': 'deliveries of the groups that are due',
  'commit-calls': 'others are called in for an alert that nobody answers',
  'commit-reroute': 'whom what waits is owed to after a start or a reload',
  'keep-gone': 'which targets the config does not have any more',
  'move-clock': 'waits keep what they had left when the clock was set',
  cover: 'until when watches were covered, and what is left of plans',
  'keep-chain-blocks': 'blocks that an explorer has shown',
  probe: 'a row that shows whether the file takes one',
  'keep-health': 'how the daemon does, for `status` and other replicas',
  'keep-running': 'what runs now, for `plan`',
  forget: 'watches that are gone',
  'keep-recipients': 'whom a channel names, so that what waits for others is neither sent nor counted',
  claim: 'deliveries are handed to a sender',
  ran: 'for how long a sender ran',
  settle: 'how a try ended',
  expire: 'deliveries whose lease ended, or that waited for their next try, are due',
  intervene: 'what an operator changes',
  announce: 'people are told of the end of a silence or a pause',
  record: 'lines of the journal',
  'chain-journal': 'lines of the journal get their hashes',
  'keep-mirrored': 'what a receiver with a state of its own accepted',
  prune: 'old rows go, and the journal gets a checkpoint',
} as const;

/** Single moments between two transactions. */
export const MOMENTS = {
  'state.set-aside': 'a damaged state file is about to be replaced',
  'state.replaced': 'it was replaced, and is not opened yet',
  'send.begun': 'a delivery was claimed, and no byte of it has left',
  'send.posted': 'all of a call over HTTP has left, and no answer came',
  'send.mailed': 'all of a mail has left, and the server has not taken it yet',
  'send.ended': 'how a try ended is known, and not recorded',
  'chat.edited': 'an earlier message in a chat was changed, and the new one is not posted',
  'mirror.shown': 'a receiver with a state of its own was shown what is open',
  'operator.kept': 'what an operator changed is stored, and the answer has not left',
  'reload.swapped': 'another config is in force, and nothing was decided again',
  'heartbeat.probed': 'all is well, and no beat was sent',
  'heartbeat.sent': 'a beat was sent',
} as const;

export type Step = keyof typeof STEPS;
export type Failpoint = `${Step}.${'before' | 'after'}` | keyof typeof MOMENTS;

/** Marks a moment, and does nothing. */
export function failpoint(_name: Failpoint): void {
  // Tests replace this module with another one.
}
