// The four facts behind the verdict: can the reader trust it? An unknown value is shown as unknown, never as zero.
import { sharedOut } from '../../../query/daemon/cluster.ts';
import type { Forecast, Overview, Trust } from '../../../query/shapes/overview.ts';
import { counted, grouped, plural } from '../../parts/amount.ts';
import { causeWords } from '../../../query/shapes/common.ts';
import { html, NOTHING, type HtmlContent, type Html } from '../../parts/html.ts';
import { headWords, isDoubtfulHead } from '../../parts/heads.ts';
import { icon, type IconName } from '../../parts/icons.ts';
import { ageTag, clockTime, duration, type Moment } from '../../parts/time.ts';

export function trustStrip(
  { trust, calls_nobody: callsNobody }: Pick<Overview, 'trust' | 'calls_nobody'>,
  moment: Moment,
): Html {
  return html`<section>
    <div class="head"><h2 id="trust">Can I trust this?</h2></div>
    <dl class="trust">
      ${[headTile(trust, moment), watchTile(trust, moment), deliveryTile(trust, moment), creditTile(trust, moment)]}
    </dl>
    ${rejectedNote(trust, moment)}${storageNote(trust)}${callsNobody ? CALLS_NOBODY : NOTHING}
  </section>`;
}

const CALLS_NOBODY = html`<div class="note warn">
  ${icon('warning')}
  <p>
    Messages go to the log of this machine only: nobody is called. Add a channel such as mail or a webhook to the config
    (<code>channels</code>).
  </p>
</div>`;

interface Tile {
  readonly icon: IconName;
  readonly name: string;
  readonly big: HtmlContent;
  readonly lines: readonly HtmlContent[];
  readonly doubt: 'bad' | 'doubt' | '';
}

function tile({ icon: name, name: words, big, lines, doubt }: Tile): Html {
  return html`<div class="${doubt}">
    <dt>${icon(name)}${words}</dt>
    <dd class="big">${big}</dd>
    ${lines}
  </div>`;
}

function line(name: HtmlContent, value: HtmlContent, isDoubtful = false): Html {
  return html`<dd class="line${isDoubtful ? ' doubt' : ''}">
    <span>${name}</span>${value === null ? null : html`<b>${value}</b>`}
  </dd>`;
}

const MOST_LINES = 4;

function headTile({ heads }: Trust, moment: Moment): Html {
  const doubtful = heads.find(isDoubtfulHead);
  const shown = doubtful ?? heads.find(({ state }) => state !== 'fresh') ?? heads[0];
  return tile({
    icon: doubtful === undefined ? 'ok' : 'clock',
    name: 'Chain heads',
    big:
      shown === undefined
        ? 'not known'
        : [doubtful === undefined ? '' : `${shown.explorer}: `, headWords(shown, moment)],
    doubt: doubtful === undefined ? '' : 'doubt',
    lines: heads.slice(0, MOST_LINES).map((head) => {
      const { explorer, height, at, state } = head;
      const name = `${explorer} ${height === null ? '' : grouped(height)}`;
      return line(
        name,
        state === 'fresh' && at !== null ? ageTag(at, moment) : headWords(head, moment),
        isDoubtfulHead(head),
      );
    }),
  });
}

function watchTile({ blind, watches, oldest, unhealthy, not_judged: notJudged }: Trust, moment: Moment): Html {
  const count = blind.reduce((sum, cause) => sum + cause.watches, 0);
  const [first] = blind;
  const about =
    oldest === null ? 'nothing was answered yet' : `oldest answer, of ${duration(oldest.interval_ms)} planned`;
  return tile({
    icon: count === 0 ? 'ok' : 'blind',
    name: 'Watches',
    big:
      count === 0
        ? `none of ${counted(watches)} blind`
        : html`<a href="/watches?state=blind">${counted(count)} of ${counted(watches)} are blind</a>`,
    doubt: count === 0 ? '' : 'doubt',
    lines: [
      first === undefined
        ? line(about, oldest === null ? null : ageTag(oldest.at, moment))
        : line(`${blind.length === 1 ? 'all on' : 'most on'} ${first.explorer}: ${causeWords(first.cause)}`, null),
      line('unhealthy rules', unhealthy === null ? 'not known' : counted(unhealthy)),
      ...(notJudged === 0 ? [] : [line('items not judged in an hour', counted(notJudged), true)]),
    ],
  });
}

const OWED_MS = 5 * 60_000;

function deliveryTile({ owed, given_up: givenUp }: Trust, moment: Moment): Html {
  const rows = owed.reduce((sum, debt) => sum + debt.rows, 0);
  const [oldest] = owed.toSorted((a, b) => Date.parse(a.since) - Date.parse(b.since));
  const age = oldest === undefined ? 0 : moment.now - Date.parse(oldest.since);
  const to = owed.length === 1 ? oldest?.channel : plural(owed.length, 'channel');
  const big = oldest === undefined ? 'none owed' : `${counted(rows)} owed to ${to}, ${duration(age)}`;
  const answer = oldest?.last_answer ?? null;
  const at = oldest?.last_try ?? null;
  return tile({
    icon: oldest === undefined ? 'ok' : 'mail',
    name: 'Deliveries',
    big: oldest === undefined ? big : html`<a href="/deliveries">${big}</a>`,
    doubt: age >= OWED_MS ? 'bad' : '',
    lines: [
      answer === null && at === null
        ? NOTHING
        : line(owed.length === 1 ? 'last answer' : `last answer of ${oldest?.channel ?? ''}`, [
            shortAnswer(answer),
            at === null ? null : `, ${clockTime(at, moment)}`,
          ]),
      line('given up in 7 days', counted(givenUp)),
    ],
  });
}

/**
 * The status code in an answer: `503` of `hooks.example answered 503 Service Unavailable`. The page of deliveries shows
 * the whole answer.
 */
function shortAnswer(answer: string | null): string {
  return answer === null ? 'none' : (/(?:^|\banswered )(\d{3})(?![\d.])/.exec(answer)?.[1] ?? answer);
}

function creditTile({ credits, blind }: Trust, moment: Moment): Html {
  const known = credits.filter((one) => one !== null);
  const refusing = blind.find(({ cause }) => cause === 'out-of-credits')?.explorer ?? null;
  const isShort = known.some((one) => one.runs_out_at !== null || isBelowReserve(one) || isOverPlan(one));
  return tile({
    icon: 'glass',
    name: 'Credits',
    big: refusing === null ? creditWords(credits, moment) : `none left, says ${refusing}`,
    doubt: refusing === null ? (isShort ? 'doubt' : '') : 'bad',
    lines: known.flatMap((one) => [
      line(one.explorers.join(', '), leftWords(one, refusing)),
      ...(one.at_reset === null
        ? []
        : [line(`left at ${clockTime(one.resets_at, moment)}`, `about ${counted(Math.max(0, one.at_reset))}`)]),
      ...(isWantedOver(one) ? [line(...wantedWords(one.wanted_share ?? 0))] : []),
      ...(one.intervals === '' ? [] : [line('intervals', one.intervals)]),
    ]),
  });
}

function creditWords(credits: Trust['credits'], moment: Moment): string {
  const known = credits.filter((one) => one !== null);
  const at = known.find(({ runs_out_at: runsOutAt }) => runsOutAt !== null)?.runs_out_at ?? null;
  if (at !== null) return `run out at ${clockTime(at, moment)}`;
  if (credits.length === 0) return 'no plan is set';
  if (known.some(isOverPlan)) return 'planned for more than there are';
  if (known.length < credits.length || known.some(({ at_reset: left }) => left === null)) return 'not known yet';
  return known.some(({ intervals }) => intervals !== '') ? 'last, at longer intervals' : 'last until the reset';
}

/**
 * While an explorer refuses requests because no credits are left, the number in its headers is not the credits left, so
 * it is marked.
 */
function leftWords({ explorers, remaining, plan }: Forecast, refusing: string | null): string {
  if (remaining === null) return `of ${counted(plan)}`;
  const left = `${counted(remaining)} of ${counted(plan)}`;
  return refusing !== null && explorers.includes(refusing) ? `${left} by its headers` : left;
}

function isBelowReserve({ remaining, reserve }: Forecast): boolean {
  return remaining !== null && remaining < reserve;
}

/** True if the rules need more credits than the plan leaves, and intervals are not stretched. */
function isOverPlan(one: Forecast): boolean {
  return isWantedOver(one) && one.intervals === '';
}

function isWantedOver({ wanted_share: share }: Forecast): boolean {
  return share !== null && share > 1;
}

/** `wanted by the rules`, `250 %` */
function wantedWords(share: number): [string, string, boolean] {
  return ['wanted by the rules', `${counted(share * 100)} %`, true];
}

function rejectedNote({ rejected }: Trust, moment: Moment): HtmlContent {
  if (rejected === null) return NOTHING;
  const { since, place, why } = rejected;
  return html`<div class="note alarm">
    ${icon('critical')}
    <div>
      <p>
        <a href="/rules"><b>The files saved at ${clockTime(since, moment)} are not in force</b></a
        >: ${place === null ? NOTHING : `${place}: `}${why}. The former rules stay in force.
      </p>
    </div>
  </div>`;
}

function storageNote({ storage, troubles, cluster }: Trust): Html {
  const free = cluster === null ? [] : sharedOut(cluster).free;
  const lines = [
    ...(storage === 'full' ? ['The state is full: nothing new can be stored.'] : []),
    ...(storage === 'fails' ? ['The state cannot be written: nothing new can be stored.'] : []),
    ...(free.length === 0 ? [] : [`No replica works on ${free.join(', ')}.`]),
    ...troubles,
  ];
  if (lines.length === 0) return NOTHING;
  return html`<div class="note ${storage === 'works' ? 'warn' : 'alarm'}">
    ${icon('warning')}
    <div>${lines.map((text) => html`<p>${text}</p>`)}</div>
  </div>`;
}
