// The calls that change something, one for each action of an operator, and the preview of a silence, which changes nothing.
import type { z } from 'zod';
import type { Action, PerformAction } from '../../operators/action.ts';
import { ACTIONS } from '../../operators/actions.ts';
import { PreviewBody } from '../../operators/shapes.ts';
import type { Queries } from '../../query/queries.ts';
import { SilencePreview } from '../../query/shapes/operators.ts';
import { problemOf } from '../problem.ts';
import { parseBody } from './parsing.ts';
import { problemFor } from './reads.ts';
import type { WriteCall, WriteResult, WriteRoute } from './route.ts';

export function actionRoutes(perform: PerformAction): readonly WriteRoute[] {
  return ACTIONS.map((action) => actionRoute(action, perform));
}

function actionRoute(action: Action, perform: PerformAction): WriteRoute {
  return writeRoute(action, action.answer, action.body, async (body, { parameter, request }) => {
    const done = await perform(action, { call: { parameter }, body, request });
    return done.type === 'refused'
      ? { problem: problemOf(done.why) }
      : { body: done.answer, location: action.location?.(done.answer) };
  });
}

/** The matchers are in the body, as for a silence, so the call is a POST although it changes nothing. */
export function previewRoute({ previewSilence }: Pick<Queries, 'previewSilence'>): WriteRoute {
  const about = {
    path: '/silences/preview',
    tag: 'silences',
    summary: 'Says what a silence would hold back, and would have held back in the last 24 hours. Changes nothing.',
    status: 200,
    problems: [],
  } as const;
  const route = writeRoute(about, SilencePreview, PreviewBody, async ({ matchers }) => {
    try {
      const found = await previewSilence(matchers);
      if ('alerts' in found) return { body: found };
      return { problem: problemOf({ type: 'invalid', mistakes: found }) };
    } catch (error) {
      return { problem: problemFor(error) };
    }
  });
  return { ...route, role: 'viewer', isChange: false };
}

function writeRoute<T>(
  { path, tag, summary, status, problems }: Pick<WriteRoute, 'path' | 'tag' | 'summary' | 'status' | 'problems'>,
  shape: z.ZodType,
  body: z.ZodType<T>,
  work: (body: T, call: WriteCall) => Promise<WriteResult>,
): WriteRoute {
  return {
    path,
    tag,
    summary,
    shape,
    status,
    problems,
    body,
    method: 'post',
    role: 'operator',
    isChange: true,
    async answer(call) {
      const read = parseBody(body, call.body);
      return 'problem' in read ? read : work(read.body, call);
    },
  };
}
