// Causes that lie with explorers: watches that are blind, and explorers that refuse or show another chain.
import { highest } from '../../core/model/delivery.ts';
import { neverWords, type WantedSender } from '../../core/model/quality/sightings.ts';
import type { ExplorerTrouble } from '../../core/model/quality/explorer-trouble.ts';
import type { Severity } from '../../core/model/ids.ts';
import type { Watch } from '../../core/model/watch/watch.ts';
import type { Moment } from '../../lib/time-zone.ts';
import type { Instant } from '../../lib/clock.ts';
import {
  causesOf,
  causeWords,
  namesOf,
  type BlindCause,
  type BlindReason,
  type BlindWatch,
} from '../../core/model/quality/blind-cause.ts';
import { counted, type Cause, type SelfCondition } from './cause.ts';
import type { NotJudged } from '../reporting/report.ts';
import { namesOf as namesOfWatch } from '../../core/alerts/sentence.ts';
import { showTime } from '../../core/wording/words.ts';
import { sinceText } from './words.ts';
import { firstNames } from '../../lib/first-names.ts';

export interface ExplorerCauseFacts extends Moment {
  readonly watches: readonly Watch[];
  readonly blind: readonly BlindWatch[];
  /** The reasons why explorers get no requests or are not believed, with their start. */
  readonly troubles: readonly { readonly trouble: ExplorerTrouble; readonly since: Instant }[];
  readonly notJudged: readonly NotJudged[];
  readonly never: readonly NeverHolding[];
}

/** A comparison of a rule that never holds. */
export interface NeverHolding {
  readonly watch: Watch;
  readonly sender: WantedSender;
  readonly since: Instant;
}

/**
 * One cause per explorer and sort of reason: an explorer that times out for one watch and resets for another has one
 * cause.
 */
export function explorerCauses(facts: ExplorerCauseFacts): Cause[] {
  const troubles = facts.troubles.flatMap((one) => troubleCause(one, facts));
  const down = new Set(troubles.map(({ subject }) => subject));
  const [lost, others] = [facts.blind.filter(hasLost), facts.blind.filter((one) => !hasLost(one))];
  const groups = Map.groupBy(causesOf(others), ({ explorer, reason }) => subjectOf(explorer, sortOf(reason)));
  const blind = [...groups].flatMap(([subject, causes]) => blindCause(subject, causes, facts));
  const told = [...blind, ...lost.map((one) => lostCause(one, facts))].map((cause) => ({
    ...cause,
    isExplained: isExplained(cause, down),
  }));
  const never = Map.groupBy(facts.never, ({ watch, sender }) =>
    [watch.target.explorer, watch.rule, sender.alert].join('/'),
  );
  return [
    ...troubles,
    ...told,
    ...facts.notJudged.flatMap((one) => notJudgedCause(one, facts)),
    ...[...never].flatMap(([subject, all]) => neverCause(subject, all, facts)),
  ];
}

function subjectOf(explorer: string, sort: Sort): string {
  return `${explorer}/${sort}`;
}

/** The subject of the cause that fields are missing on an explorer. */
export function fieldSubject(explorer: string): string {
  return subjectOf(explorer, 'field');
}

/** The subject of the cause that a watch has lost a value. */
export function lostSubject({ target, name }: Watch): string {
  return `${target.explorer}/lost/${name}`;
}

/** Makes one cause for each alert, for all of its targets together. */
function neverCause(subject: string, all: readonly NeverHolding[], moment: Moment): Cause[] {
  const [first] = all;
  if (first === undefined) return [];
  const { rule, alerts } = first.watch;
  const { alert } = first.sender;
  const why = [...new Set(all.map(({ sender }) => `${neverWords(sender)}. ${sender.hint}`))].join(' ');
  const since = Math.min(...all.map((one) => one.since));
  return [
    {
      alert: 'never-holds',
      subject,
      severity: alerts.find(({ id }) => id === alert)?.severity ?? 'warning',
      since,
      watches: null,
      title: `${rule}/${alert} waits for a contract to send a transaction`,
      text: [{ text: `${sinceText(since, moment)}: ${why}` }],
      isExplained: false,
    },
  ];
}

interface LostWatch extends BlindWatch {
  readonly lost: string;
}

function hasLost(blind: BlindWatch): blind is LostWatch {
  return sortOf(blind.reason) === 'field' && typeof blind.lost === 'string';
}

/** A value that is lost. Each watch has a cause of its own, since other watches still read theirs. */
function lostCause({ watch, since, lost, fields }: LostWatch, moment: Moment): Cause {
  const thing = watch.kind.wording.thing(namesOfWatch(watch));
  const unknown = `The explorer does not show it, so conditions that read ${fields.join(', ')} are unknown`;
  return {
    alert: 'blind-field',
    subject: lostSubject(watch),
    severity: severityOf([watch]),
    since,
    watches: 1,
    title: `${lost} of ${thing} not known since ${showTime(since, moment)}`,
    text: [{ text: `${unknown}: their alerts neither fire nor end. Watch: ${watch.name}.` }],
    isExplained: false,
  };
}

/** Items of removed rules are left out. */
function notJudgedCause(lost: NotJudged, facts: ExplorerCauseFacts): Cause[] {
  const { rule, explorer, severity, since, items } = lost;
  if (!facts.watches.some((watch) => watch.rule === rule && watch.target.explorer === explorer)) return [];
  const names = firstNames([...lost.watches], MOST_NAMED);
  const count = counted(items, 'item was', 'items were');
  const why = 'the conditions took more steps than a poll has, until they left the pages that are read';
  return [
    {
      alert: 'not-judged',
      subject: `${explorer}/${rule}`,
      severity,
      since,
      watches: lost.watches.size,
      title: `items of ${rule} on ${explorer} were not judged`,
      text: [{ text: `${sinceText(since, facts)}: ${count} not judged: ${why}. ${names}. Look at them there.` }],
      isExplained: false,
    },
  ];
}

const MOST_NAMED = 3;

/**
 * True if another cause reports it: a failing store is reported as `storage`, refusals of an explorer as
 * `explorer-down` or `credits`.
 */
function isExplained({ subject }: Cause, down: ReadonlySet<string>): boolean {
  const [explorer = '', sort] = subject.split('/');
  return sort === 'not-stored' || down.has(explorer);
}

type Sort =
  'no-answer' | 'plan' | 'not-understood' | 'stale' | 'no-data' | 'field' | 'not-polled' | 'damaged' | 'not-stored';

const SORTS: Partial<Readonly<Record<BlindReason, Sort>>> = {
  'storage-fails': 'not-stored',
  'storage-full': 'not-stored',
  'not-found': 'not-understood',
  'wrong-path': 'not-understood',
  unprocessable: 'not-understood',
  shape: 'not-understood',
  stale: 'stale',
  nodata: 'no-data',
  partial: 'no-data',
  'blind-field': 'field',
  'no-poll': 'not-polled',
  plan: 'plan',
  'damaged-memory': 'damaged',
};

function sortOf(reason: BlindReason): Sort {
  return SORTS[reason] ?? 'no-answer';
}

function blindCause(subject: string, causes: readonly BlindCause[], moment: Moment): Cause[] {
  const [first] = causes;
  if (first === undefined) return [];
  const sort = sortOf(first.reason);
  const watches = causes.flatMap((cause) => cause.watches);
  const reasons = [...new Set(causes.map(({ reason }) => causeWords(reason)))].join(', ');
  const fields = [...new Set(causes.flatMap((cause) => cause.fields))].join(', ');
  const since = Math.min(...causes.map((cause) => cause.since));
  return [
    {
      alert: sort === 'field' ? 'blind-field' : 'blind',
      subject,
      severity: severityOf(watches),
      since,
      watches: watches.length,
      title: TITLES[sort](first.explorer, counted(watches.length, 'watch', 'watches'), fields),
      text: [{ text: `${sinceText(since, moment)}: ${reasons}. Watches: ${namesOf(watches)}${HINTS[sort] ?? ''}.` }],
      isExplained: false,
    },
  ];
}

const TITLES: Readonly<Record<Sort, (explorer: string, watches: string, fields: string) => string>> = {
  'no-answer': (explorer, watches) => `${explorer} does not answer, ${watches}`,
  plan: (explorer, watches) => `the plan of ${explorer} leaves no credits for ${watches}`,
  'not-understood': (explorer, watches) => `${explorer} answers otherwise than expected, ${watches}`,
  stale: (explorer, watches) => `the head of ${explorer} stands still, ${watches}`,
  'no-data': (explorer, watches) => `${explorer} does not show everything, ${watches}`,
  field: (explorer, watches, fields) => `${explorer} does not send ${fields}, ${watches}`,
  'not-polled': (explorer, watches) => `${explorer} is not polled, ${watches}`,
  damaged: (explorer, watches) => `the memory of ${watches} on ${explorer} is damaged`,
  'not-stored': (explorer, watches) => `what ${explorer} shows cannot be stored, ${watches}`,
};

const HINTS: Partial<Readonly<Record<Sort, string>>> = { damaged: ' (chainwarden state forget WATCH)' };

function troubleCause({ trouble, since }: ExplorerCauseFacts['troubles'][number], facts: ExplorerCauseFacts): Cause[] {
  // A doubted refusal is checked again within minutes; until then its watches are not blind.
  if (trouble.type === 'refused' && trouble.rest.doubt !== null) return [];
  const { explorer } = trouble;
  const affected = facts.watches.filter(({ target }) => target.explorer === explorer);
  if (affected.length === 0) return [];
  const watches = counted(affected.length, 'watch', 'watches');
  const { alert, what, why } = saidOf(trouble);
  return [
    {
      alert,
      subject: explorer,
      severity: severityOf(affected),
      since,
      watches: affected.length,
      title: `${explorer} ${what}, ${watches}`,
      text: [{ text: `${sinceText(since, facts)}: ${why}` }],
      isExplained: false,
    },
  ];
}

function saidOf(trouble: ExplorerTrouble): { alert: SelfCondition; what: string; why: string } {
  if (trouble.type === 'other-chain')
    return { alert: 'explorer-down', what: 'shows another chain than before', why: `${trouble.why}.` };
  const { reason } = trouble.rest;
  return reason === 'out-of-credits'
    ? { alert: 'credits', what: 'has no credits left', why: `${causeWords(reason)}. It is asked again now and then.` }
    : { alert: 'explorer-down', what: 'refuses the key', why: `${causeWords(reason)}. Look at api_key in the config.` };
}

function severityOf(watches: readonly Watch[]): Severity {
  return highest(watches.flatMap(({ alerts }) => alerts.map(({ severity }) => severity)));
}
