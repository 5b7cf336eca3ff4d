// Tells people what operators did: events of the built-in watch, one for each change. They are stored with the change
// itself, so that no silence is in force of which nobody was told.
import { idOf } from '../../core/model/watch/identity.ts';
import { ANNOUNCER, BUILT_IN_RULE, type Announcement } from '../../core/model/ids.ts';
import { labelsOfMessage } from '../../core/model/watch/labels.ts';
import type { Message } from '../../core/model/delivery.ts';
import type { Transition } from '../../core/model/transition.ts';
import type { Instant } from '../../lib/clock.ts';
import { BUILT_IN } from './built-in.ts';

/** What people are told. The texts are those of operators. */
export interface AnnouncementText {
  readonly alert: Announcement;
  /** One line: who did what, and until when. */
  readonly title: string;
  /** Why; null where nobody said. */
  readonly comment: string | null;
}

/** `id` names what is told: the same one is told once. */
export interface AnnouncementTime {
  readonly id: string;
  readonly at: Instant;
  /** The channels that are told; none: nobody is. */
  readonly notify: readonly string[];
}

export function announcementOf(news: AnnouncementText, { id, at, notify }: AnnouncementTime): readonly Transition[] {
  if (notify.length === 0) return [];
  const message = messageOf(news, id, at);
  return [{ message, labels: labelsOfMessage(message), notify }];
}

function messageOf({ alert, title, comment }: AnnouncementText, id: string, at: Instant): Message {
  return {
    type: 'alert.event',
    key: idOf(ANNOUNCER, id),
    episode: 1,
    seq: 1,
    at,
    observedAt: at,
    since: at,
    resolvedAt: null,
    late: false,
    reason: null,
    watch: BUILT_IN_RULE,
    alert,
    kind: BUILT_IN_RULE,
    severity: 'info',
    explorer: BUILT_IN_RULE,
    chainId: null,
    of: null,
    token: null,
    title,
    detail: null,
    measured: null,
    lines: [],
    text: comment === null ? [] : [{ text: comment }],
    runbook: null,
    condition: 'what operators do',
    rule: BUILT_IN,
    fields: {},
    before: {},
    links: [],
    summary: null,
  };
}
