// Silences and acknowledgements of operators, as `explain` and `status` show them.
import { labelsOf } from '../core/model/watch/identity.ts';
import type { AlertRule, Watch } from '../core/model/watch/watch.ts';
import { showMatcher } from '../dispatch/policy/matcher-text.ts';
import type { Silence } from '../dispatch/model.ts';
import { isSilencedBy } from '../dispatch/policy/match.ts';
import { showInZone, type Moment } from '../lib/time-zone.ts';
import { singleLine } from '../lib/untrusted.ts';
import type { OpenAlertRow, StoredPolicy, StoredAck } from '../store/contract/operators.ts';

/** Present and planned silences, acknowledgements, and open alerts. */
export interface OperatorFacts {
  readonly policy: Pick<StoredPolicy, 'silences' | 'acks'>;
  readonly open: readonly OpenAlertRow[];
}

/**
 * `silenced until 2026-01-01T18:00:00Z by alice: the vault is moved (watch=coins)`, and the acknowledged alerts of the
 * watch.
 */
export function operatorLines(
  watch: Watch,
  alert: AlertRule,
  { policy, open }: OperatorFacts,
  moment: Moment,
): string[] {
  const labels = labelsOf(watch, alert);
  const silences = policy.silences.filter(({ kind, matchers }) => kind === 'silence' && isSilencedBy(matchers, labels));
  const own = open.filter((one) => one.watch === watch.id && one.alert === alert.id);
  const acks = own.flatMap((one) => ackOf(one, policy.acks) ?? []);
  return [
    ...silences.map((silence) => silenceText(silence, moment)),
    ...shortened(acks.map((one) => ackText(one, moment))),
  ];
}

/** `silence 5f0c…: until 2026-01-01T18:00:00Z by alice: the vault is moved (watch=coins)` */
export function silencesInForce({ policy }: OperatorFacts, moment: Moment): string[] {
  const silences = policy.silences.filter(({ kind }) => kind === 'silence');
  return silences.map((silence) => `silence ${singleLine(silence.id)}: ${silenceText(silence, moment)}`);
}

/** `critical coins/low: acknowledged until 2026-01-01T18:00:00Z by alice: on it` */
export function acknowledged({ policy, open }: OperatorFacts, moment: Moment): string[] {
  const acked = open.flatMap((one) => {
    const ack = ackOf(one, policy.acks);
    return ack === null ? [] : [{ name: `${one.severity} ${one.name}/${one.alert}`, text: ackText(ack, moment) }];
  });
  const alike = [...Map.groupBy(acked, ({ name, text }) => JSON.stringify([name, text])).values()];
  return shortened(alike.flatMap((all) => all.slice(0, 1).map((first) => ackedLine(first, all.length))));
}

function ackedLine({ name, text }: { readonly name: string; readonly text: string }, count: number): string {
  return singleLine(`${name}${count === 1 ? '' : `, ${count} events`}: ${text}`, LONGEST);
}

const MOST_ACKS = 10;
const LONGEST = 1000;

function shortened(lines: readonly string[]): string[] {
  const more = lines.length - MOST_ACKS;
  return more > 0 ? [...lines.slice(0, MOST_ACKS), `and ${more} more that are acknowledged`] : [...lines];
}

function ackOf({ key, episode }: OpenAlertRow, acks: readonly StoredAck[]): StoredAck | null {
  return acks.find((one) => one.key === key && one.episode === episode) ?? null;
}

function silenceText({ matchers, from, until, untilResolved, actor, comment }: Silence, { now, zone }: Moment): string {
  const when = from > now ? `to be silenced from ${showInZone(zone, from)} ` : 'silenced ';
  const sooner = untilResolved ? ', or until nothing of it fires,' : '';
  return singleLine(
    `${when}until ${showInZone(zone, until)}${sooner} by ${actor}: ${comment} (${showMatcher(matchers)})`,
    LONGEST,
  );
}

function ackText({ until, actor, comment }: StoredAck, { zone }: Moment): string {
  const why = comment === null ? '' : `: ${comment}`;
  return singleLine(`acknowledged until ${showInZone(zone, until)} by ${actor}${why}`, LONGEST);
}
