// The names of all faults, by what they strike. Those of answers are the sandbox's own, and some more. A history draws
// its faults from the whole list by their places: with another order every seed is another history.
import { CONTENT_FAULTS, STATUS_FAULTS, WIRE_FAULTS } from '../../../src/sandbox/faults/fault.ts';

/** An answer of its own, by its status. */
export const STATUS_KINDS = STATUS_FAULTS;

/** The bytes on the wire. */
export const WIRE_KINDS = [...without(WIRE_FAULTS, ['gzip-bomb']), 'dns', 'tls', 'refused'] as const;

/** Right answers, spoilt. The last two are made by the simulation. */
export const CONTENT_KINDS = [
  ...without(CONTENT_FAULTS, ['repeated-rows', 'shuffled-rows', 'ignored-cursor']),
  'empty-cursor',
  'missing-field',
] as const;

const CHAIN_KINDS = [
  'reorg',
  'late-call',
  'dropped-pending',
  'replaced-pending',
  'changed-row',
  'burst',
  'stalled',
  'other-chain',
] as const;

/** Several servers behind one name. */
const REPLICA_KINDS = ['lagging-replica', 'forked-replicas'] as const;

/** The plan and its limiter. */
export const PLAN_KINDS = ['spurious-402', 'spurious-401', 'drained', 'reset-dialect'] as const;

/** The process and its clock. */
const PROCESS_KINDS = ['kill', 'downtime', 'clock-forward', 'clock-back', 'reload'] as const;

const STORE_KINDS = ['commit-refused', 'commit-kept-but-error', 'commit-superseded'] as const;

/** Those who are told. */
const SINK_KINDS = ['slow-sink', 'sink-5xx', 'sink-4xx', 'sink-unknown'] as const;

/** A reload finds another config. */
export const EDIT_KINDS = [
  'channel-renamed',
  'channel-renamed-back',
  'channel-replaced',
  'channel-removed',
  'channel-returned',
  'recipients-changed',
  'route-added',
  'routes-reordered',
  'severity-raised',
  'severity-lowered',
  'escalation-edited',
  'mutes-changed',
  'groups-changed',
  'cap-changed',
  'rule-edited',
  'muted-now',
  'cap-tightened',
  'inhibition-changed',
  'self-changed',
] as const;

/** A rule is another sort of alert for a while. These are drawn only where they are asked for. */
export const TURN_KINDS = ['rule-turned', 'rule-turned-back'] as const;
export type EditKind = (typeof EDIT_KINDS | typeof TURN_KINDS)[number];

/** What operators do to alerts. */
export const ACK_KINDS = ['ack', 'snooze', 'ack-withdrawn', 'ack-replaced'] as const;
export const SILENCE_KINDS = ['silence', 'silence-extended', 'silence-ended'] as const;
export const PAUSE_KINDS = ['pause', 'pause-ended'] as const;
/** All that is open of an alert at once. */
export const ACK_ALL_KIND = 'ack-all';
export const OPERATOR_KINDS = [...ACK_KINDS, ACK_ALL_KIND, ...SILENCE_KINDS, ...PAUSE_KINDS] as const;
export type OperatorKind = (typeof OPERATOR_KINDS)[number];

/** Many events of one rule at once, and a condition that comes and goes. */
export const STORM_KINDS = ['storm', 'flap'] as const;

/** One receiver, for minutes to hours. */
export const RECEIVER_KINDS = ['receiver-fails', 'receiver-slow', 'body-refused'] as const;

/** What people do, and what is done to them, on top of all that goes wrong. */
export const SCENE_KINDS = [...EDIT_KINDS, ...OPERATOR_KINDS, ...STORM_KINDS, ...RECEIVER_KINDS] as const;

/** The credits of the plan: what others do to them, and what the explorer says of them. */
export const CREDIT_KINDS = ['foreign', 'late-reset', 'wrong-price', 'wrong-header'] as const;

/** Answers to calls of contracts: one call of a request fails, or all of them. */
export const READ_KINDS = [
  'call-reverts',
  'call-refused',
  'odd-length',
  'nothing-returned',
  'node-fails',
  'no-block',
  'too-many-calls',
] as const;

/** Faults, from which a history draws without regard to scenes. */
export const TROUBLE_KINDS = [
  ...STATUS_KINDS,
  ...WIRE_KINDS,
  ...CONTENT_KINDS,
  ...CHAIN_KINDS,
  ...REPLICA_KINDS,
  ...PLAN_KINDS,
  ...PROCESS_KINDS,
  ...STORE_KINDS,
  ...SINK_KINDS,
] as const;

export const FAULT_KINDS = [...TROUBLE_KINDS, ...SCENE_KINDS, ...CREDIT_KINDS, ...READ_KINDS] as const;
/** With those that no history draws by itself. */
export const ALL_KINDS = [...FAULT_KINDS, ...TURN_KINDS] as const;
export type FaultKind = (typeof ALL_KINDS)[number];

function without<Name extends string, Out extends Name>(names: readonly Name[], out: readonly Out[]) {
  const left = new Set<string>(out);
  return names.filter((name): name is Exclude<Name, Out> => !left.has(name));
}
