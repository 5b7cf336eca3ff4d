// The verdict. The banner is red only if a person has to act now.
import type { Overview, PageVerdict } from '../../../query/shapes/overview.ts';
import { html, NOTHING, type Html } from '../../parts/html.ts';
import { icon } from '../../parts/icons.ts';
import { ageTag, type Moment } from '../../parts/time.ts';
import type { Mood } from '../frame/layout.ts';

const LOOKS: Readonly<Record<PageVerdict, readonly [banner: string, mood: Mood]>> = {
  critical: ['alarm', 'firing'],
  warning: ['warn', 'firing'],
  blind: ['blind', 'blind'],
  'in-hand': ['calm', 'ok'],
  starting: ['calm', 'ok'],
  quiet: ['calm', 'ok'],
};

export function moodOf(verdict: PageVerdict): Mood {
  return LOOKS[verdict][1];
}

export function banner(overview: Overview, moment: Moment): Html {
  const { verdict, headline, detail, trust } = overview;
  const [look] = LOOKS[verdict];
  const isSure = [trust.blind, trust.overdue, trust.owed].every(({ length }) => length === 0);
  const isWaiting = verdict === 'starting' || trust.overdue.length > 0;
  const doubt = isSure ? null : html` <a href="#trust">Can it be trusted?</a>`;
  return html`<section class="banner ${look}" aria-label="Verdict">
    <div class="banner-in">
      <h1>${look === 'calm' ? icon(isWaiting ? 'clock' : 'ok') : null}${headline}</h1>
      ${detail === '' ? null : html`<p>${detail}${waiting(overview, moment)}${doubt}</p>`}
    </div>
  </section>`;
}

function waiting({ waiting_since: since, unhandled }: Overview, moment: Moment): Html {
  if (since === null) return NOTHING;
  return html` ${unhandled === 1 ? 'It' : 'The oldest'} has waited ${ageTag(since, moment)}.`;
}
