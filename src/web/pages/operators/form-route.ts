// A form of a page that carries out an action of an operator.
import type { Action, PerformAction } from '../../../operators/action.ts';
import { problemOf, type ApiProblem } from '../../problem.ts';
import type { FormRequest, FormRoute } from '../route.ts';

export interface Form<Body> {
  /** The path, with the parameters of the action's path. */
  readonly path: string;
  /** The request in the fields of the form, or its mistakes. */
  body(form: FormRequest): ReadForm<Body> | Promise<ReadForm<Body>>;
  /** The path to go to after the change. */
  then(form: FormRequest): string;
}

export type ReadForm<Body> = { readonly body: Body } | { readonly problem: ApiProblem };

export function formRoute<Body>(action: Action<Body>, form: Form<Body>): (perform: PerformAction) => FormRoute {
  return (perform) => ({
    path: form.path,
    role: 'operator',
    async submit(sent) {
      const read = await form.body(sent);
      if ('problem' in read) return read;
      const { parameter, request } = sent;
      const done = await perform(action, { call: { parameter }, body: read.body, request });
      return done.type === 'refused' ? { problem: problemOf(done.why) } : { location: form.then(sent) };
    },
  });
}

/** For an action without a body: `buttonRoute(endSilence, '/silences/:id/end', () => '/silences')`. */
export function buttonRoute(
  action: Action<Record<string, never>>,
  path: string,
  then: Form<unknown>['then'],
): (perform: PerformAction) => FormRoute {
  return formRoute(action, { path, body: () => ({ body: {} }), then });
}
