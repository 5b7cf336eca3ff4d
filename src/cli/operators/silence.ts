// Makes, extends and ends silences through the API of the daemon. Lists them from the state.
import { parseMatcher, showMatcher } from '../../dispatch/policy/matcher-text.ts';
import type { Matcher, Silence } from '../../dispatch/model.ts';
import type { Moment } from '../../lib/time-zone.ts';
import { showInstant } from '../../lib/clock.ts';
import { singleLine } from '../../lib/untrusted.ts';
import {
  endSilence as endAction,
  extendSilence as extendAction,
  silence as silenceAction,
} from '../../operators/silences.ts';
import { createClient } from './client.ts';
import { momentOf, openStateOf, type DaemonAddress } from './daemon-place.ts';
import { showTime, showUntil, timeOf, untilOf, type UntilOptions } from '../times.ts';
import { CommandError, EXIT } from '../exit.ts';
import type { ConfigOption } from '../load.ts';
import { SilencePreview } from '../../query/shapes/operators.ts';
import { previewLines } from './silence-preview.ts';
import type { Terminal } from '../terminal.ts';

export interface SilenceOptions extends DaemonAddress, UntilOptions {
  readonly from?: string;
  readonly comment?: string;
  readonly untilResolved: boolean;
  /** Confirms a silence for more than half of the rules. */
  readonly confirm: boolean;
  /** Prints the preview only. */
  readonly preview: boolean;
}

/** Prints the preview of a silence, then creates it. */
export async function silence(terminal: Terminal, texts: readonly string[], options: SilenceOptions): Promise<number> {
  const matchers = matchersOf(texts);
  const moment = momentOf(terminal, options);
  const draft = options.preview ? null : draftOf(options, moment);
  const client = createClient(terminal, options);
  const preview = await client.post('/silences/preview', { matchers }, SilencePreview);
  for (const line of previewLines(preview)) terminal.out(line);
  if (draft === null) return EXIT.ok;
  if (preview.needs_confirm && !options.confirm)
    throw new CommandError(
      EXIT.problems,
      'Nothing was silenced: the silence matches more than half of the rules. Add --confirm to silence them.',
    );
  const made = await client.act(silenceAction, {}, { matchers, ...draft });
  const from =
    options.from !== undefined && Date.parse(made.from) > moment.now
      ? `from ${showTime(Date.parse(made.from), moment)} `
      : '';
  const sooner = made.until_resolved ? ', or until none of these alerts fires any more' : '';
  terminal.out('');
  terminal.out(`Silenced ${from}until ${showUntil(Date.parse(made.until), moment)}${sooner}.`);
  terminal.out('No messages are sent about these alerts, except the end of alerts that were notified before.');
  terminal.out(`End it sooner with: chainwarden silence end ${singleLine(made.id)}`);
  return EXIT.ok;
}

function matchersOf(texts: readonly string[]): Matcher {
  const read = parseMatcher(texts);
  if ('matcher' in read) return read.matcher;
  const [first = ''] = texts;
  const verb = VERBS.has(first) ? `Leave ${first} out, and write` : 'Write';
  const advice = `${verb} chainwarden silence watch=NAME --for 2h -m WHY; chainwarden status --watches lists the names.`;
  throw new CommandError(EXIT.usage, `${singleLine(read.complaint, 300)}. ${advice}`);
}

/** Words that other programs need here. If an operator writes one, the error advises to leave it out. */
const VERBS: ReadonlySet<string> = new Set(['add', 'create', 'new', 'start']);

function draftOf({ from, comment, untilResolved, confirm, ...length }: SilenceOptions, moment: Moment): object {
  const until = untilOf(length, moment);
  if (until === null)
    throw new CommandError(EXIT.usage, 'Write a duration: --for 2h, or an end: --until 18:00. At most 30 days.');
  if (comment === undefined) throw new CommandError(EXIT.usage, "Say why, for the others: -m 'the vault is moved'.");
  return {
    ...(from === undefined ? {} : { from: new Date(timeOf(from, moment, '--from')).toISOString() }),
    until: new Date(until).toISOString(),
    until_resolved: untilResolved,
    comment,
    confirm,
  };
}

export async function endSilence(terminal: Terminal, id: string, options: DaemonAddress): Promise<number> {
  const ended = await createClient(terminal, options).act(endAction, { id }, {});
  const since = showTime(Date.parse(ended.from), momentOf(terminal, options));
  terminal.out(`${singleLine(ended.id)}: ended, after a silence since ${since}.`);
  return EXIT.ok;
}

export interface ExtendOptions extends DaemonAddress, UntilOptions {}

export async function extendSilence(terminal: Terminal, id: string, options: ExtendOptions): Promise<number> {
  const moment = momentOf(terminal, options);
  const until = untilOf(options, moment);
  if (until === null)
    throw new CommandError(EXIT.usage, 'Write a duration from now on: --for 2h, or an end: --until 18:00.');
  const body = { until: new Date(until).toISOString() };
  const longer = await createClient(terminal, options).act(extendAction, { id }, body);
  terminal.out(`${singleLine(longer.id)}: silenced until ${showUntil(Date.parse(longer.until), moment)}.`);
  return EXIT.ok;
}

export interface SilenceListOptions extends ConfigOption {
  readonly json: boolean;
}

/** Lists present and planned silences, one line each. */
export async function listSilences(terminal: Terminal, options: SilenceListOptions): Promise<number> {
  await using reader = await openStateOf(terminal, options);
  const moment = momentOf(terminal, options);
  const silences = (await reader.policy(moment.now)).silences.filter(({ kind }) => kind === 'silence');
  for (const one of silences) terminal.out(options.json ? JSON.stringify(jsonOf(one)) : silenceLine(one, moment));
  if (silences.length === 0 && !options.json) terminal.out('No silence is in force.');
  return EXIT.ok;
}

function jsonOf({ from, until, untilResolved, ...silence }: Silence): object {
  return { ...silence, from: showInstant(from), until: showInstant(until), until_resolved: untilResolved };
}

/** `5f0c…  watch=coins  until 14:00 UTC, in 2h  by alice: the vault is moved` */
export function silenceLine(silence: Silence, moment: Moment): string {
  const { id, matchers, from, until, untilResolved, actor, comment } = silence;
  const later = from > moment.now ? `from ${showTime(from, moment)} ` : '';
  const sooner = untilResolved ? ', or until none of these alerts fires' : '';
  return [id, showMatcher(matchers), `${later}until ${showUntil(until, moment)}${sooner}`, `by ${actor}: ${comment}`]
    .map((part) => singleLine(part, 1000))
    .join('  ');
}
