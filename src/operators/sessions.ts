// Sessions of the page: an operator can end all of them at once, for example after a cookie was copied.
import { z } from 'zod';
import { Time } from '../core/values/answer-shapes.ts';
import { showInstant, type Instant } from '../lib/clock.ts';
import { endSessionsUntil } from '../store/tables/operators/ended-passes.ts';
import { action } from './action.ts';
import { NoBody } from './shapes.ts';

/** The duration of a session of the page. */
export const SESSION_MS = 12 * 3_600_000;

const SessionsAnswer = z
  .strictObject({ ended_at: Time.describe('Sessions that began up to then are over.') })
  .meta({ id: 'EndedSessions', description: 'The sessions of the page were ended. Tokens stay valid.' });

interface EndedSessions {
  readonly endedAt: Instant;
}

export const endSessions = action({
  name: 'end-sessions',
  summary: 'Ends all sessions of the page, on all replicas. Tokens stay valid.',
  path: '/sessions/end',
  tag: 'daemon',
  status: 200,
  problems: [],
  body: NoBody,
  answer: SessionsAnswer,
  answerOf: ({ endedAt }: EndedSessions) => ({ ended_at: showInstant(endedAt) }),
  check: () => ({ change: {} }),
  addsRow: false,
  changesPolicy: false,
  async apply(sql, _change, { at }) {
    await endSessionsUntil(sql, at + SESSION_MS);
    return { endedAt: at };
  },
  announce: () => null,
  line: { kind: 'sessions-ended', words: 'all sessions ended', about: null },
  journal: () => ({ subject: 'daemon', data: {} }),
  log: (_done, { request }) => ['web:sessions-ended', { by: request.actor }],
  notFound: () => '',
});
