// The forms in pages, each with the action that it carries out.
import { ackAll } from '../../../operators/ack-all.ts';
import { ack, alertIn, endAck } from '../../../operators/acks.ts';
import { retryChannel, sampleChannel } from '../../../operators/channels.ts';
import { dismissDelivery, retryDelivery } from '../../../operators/deliveries.ts';
import { dismissGivenUp, retryGivenUp } from '../../../operators/given-up.ts';
import { endSessions } from '../../../operators/sessions.ts';
import { endPause, pause } from '../../../operators/pauses.ts';
import { Comment, Matchers } from '../../../operators/shapes.ts';
import { endSilence, extendSilence, silence, type SilenceDraft } from '../../../operators/silences.ts';
import type { PerformAction } from '../../../operators/action.ts';
import { linkTo } from '../lists.ts';
import { ACKS_PATH, alertPath, DELIVERIES_PATH, SILENCES_PATH, SNOOZE_MS, watchPath } from '../paths.ts';
import type { PageQueries } from '../queries.ts';
import type { FormRequest, FormRoute } from '../route.ts';
import { draftFrom } from '../silences/draft.ts';
import { buttonRoute, formRoute, type ReadForm } from './form-route.ts';

export function formRoutes(perform: PerformAction, { silences }: Pick<PageQueries, 'silences'>): readonly FormRoute[] {
  return [...FORMS, extendForm(silences)].map((form) => form(perform));
}

const HOUR_MS = 3_600_000;

const toWatch = ({ parameter }: FormRequest): string => watchPath(parameter('name'));
function toAlert(form: FormRequest): string {
  const { key, episode } = alertIn(form);
  return form.field('from') === '/' ? '/' : alertPath(key, episode);
}

const toSilences = (): string => SILENCES_PATH;
const toDeliveries = (): string => DELIVERIES_PATH;

const FORMS = [
  formRoute(ack, {
    path: '/alerts/:key/:episode/ack',
    body({ field, now }) {
      const seq = field('seq');
      // A text that is no number becomes -1, which is the number of no transition.
      return {
        body: {
          seq: /^\d{1,15}$/.test(seq) ? Number(seq) : -1,
          until: untilIn(field, now),
          comment: null,
          replace: field('replace') === 'yes',
        },
      };
    },
    then: toAlert,
  }),
  buttonRoute(endAck, '/alerts/:key/:episode/ack/end', toAlert),
  formRoute(ackAll, {
    path: ACKS_PATH,
    body({ field, now }) {
      const upTo = Date.parse(field('up_to'));
      if (Number.isNaN(upTo)) return unreadable('The form does not say up to when.');
      const name = { watch: field('watch'), alert: field('alert') };
      return {
        body: { ...name, upTo, until: untilIn(field, now), comment: null, replace: field('replace') === 'yes' },
      };
    },
    then: () => '/',
  }),
  formRoute(pause, {
    path: '/watches/:name/pause',
    body: ({ now }) => ({ body: { until: now + HOUR_MS, comment: 'paused on the page' } }),
    then: toWatch,
  }),
  buttonRoute(endPause, '/watches/:name/resume', toWatch),
  formRoute(silence, { path: SILENCES_PATH, body: silenceIn, then: toSilences }),
  buttonRoute(endSilence, `${SILENCES_PATH}/:id/end`, toSilences),
  buttonRoute(retryDelivery, `${DELIVERIES_PATH}/:id/retry`, toDeliveries),
  buttonRoute(dismissDelivery, `${DELIVERIES_PATH}/:id/dismiss`, toDeliveries),
  formRoute(retryGivenUp, { path: `${DELIVERIES_PATH}/retry`, body: channelIn, then: toDeliveries }),
  formRoute(dismissGivenUp, { path: `${DELIVERIES_PATH}/dismiss`, body: channelIn, then: toDeliveries }),
  buttonRoute(retryChannel, '/channels/:name/retry', toDeliveries),
  // The answer to the sample is shown in the journal.
  buttonRoute(sampleChannel, '/channels/:name/sample', ({ parameter }) =>
    linkTo('/history', { q: `channel:${parameter('name')}` }),
  ),
  // The session of the operator ends too, so the page to enter is next.
  buttonRoute(endSessions, '/sessions/end', () => '/enter'),
];

function channelIn({ field }: FormRequest): ReadForm<{ readonly channel: string | null }> {
  const channel = field('channel');
  return { body: { channel: channel === '' ? null : channel } };
}

/** Null: the usual length of an acknowledgement. */
function untilIn(field: FormRequest['field'], now: number): number | null {
  return field('for') === '1h' ? now + SNOOZE_MS : null;
}

function silenceIn({ field, now, zone }: FormRequest): ReadForm<SilenceDraft> {
  const { until, from, matchers, untilResolved, comment, mistakes } = draftFrom(field, { now, zone });
  const [mistake] = Object.values(mistakes);
  if (until === null || mistake !== undefined) return unreadable(`${mistake ?? 'Say until when'}.`);
  if (comment === '') return unreadable('Say why.');
  if (Object.keys(matchers).length === 0) return unreadable('Say which alerts.');
  const said = Comment.safeParse(comment);
  if (!said.success) return unreadable(`The comment ${said.error.issues[0]?.message ?? 'cannot be read'}.`);
  const meant = Matchers.safeParse(matchers);
  if (!meant.success) return unreadable(`The labels ${meant.error.issues[0]?.message ?? 'cannot be read'}.`);
  return { body: { matchers, from, until, untilResolved, comment, confirm: field('confirm') === 'yes' } };
}

function unreadable(detail: string): ReadForm<never> {
  return { problem: { problem: 'invalid-request', detail } };
}

/** Adds an hour to the planned end. */
function extendForm(silences: PageQueries['silences']): (perform: PerformAction) => FormRoute {
  return formRoute(extendSilence, {
    path: `${SILENCES_PATH}/:id/extend`,
    async body({ parameter, now }) {
      const found = (await silences()).active.find(({ id }) => id === parameter('id'));
      const end = found === undefined ? now : Date.parse(found.until);
      return { body: { until: end + HOUR_MS } };
    },
    then: toSilences,
  });
}
