// Carries out the forms in pages, as the operator who sent them.
import type { OperatorRequest } from '../../../operators/action.ts';
import { PROBLEMS } from '../../problem.ts';
import { requestDigest } from '../../guard/digest.ts';
import { html, type Html } from '../../parts/html.ts';
import { said } from '../../parts/said.ts';
import { errorPage } from '../frame/errors.ts';
import { buttonForm } from '../frame/fill.ts';
import type { PageContext } from '../entry/gates.ts';
import type { Presenter } from '../frame/presenter.ts';
import type { Periods } from '../frame/rendering.ts';
import type { FormRoute } from '../route.ts';

export interface SubmittingOptions {
  readonly now: () => number;
  readonly timeZone: string;
  readonly presenter: Pick<Presenter, 'send'>;
  readonly periods: Pick<Periods, 'end'>;
}

const SHOWN = [400, 403, 404, 409, 410, 503] as const;

/** Answers 303 after a change, so that loading the page again repeats nothing. */
export async function submit(
  c: PageContext,
  route: FormRoute,
  { now, timeZone: zone, presenter, periods }: SubmittingOptions,
): Promise<Response> {
  const fields = new URLSearchParams(await c.req.text());
  const answer = await route.submit({
    parameter: (name) => c.req.param(name) ?? '',
    field: (name) => fields.get(name) ?? '',
    request: requestOf(c, fields),
    now: now(),
    zone,
  });
  periods.end();
  if ('location' in answer) return c.redirect(answer.location, 303);
  const { problem, detail, retryAfter } = answer.problem;
  if (problem === 'already-acknowledged') return presenter.send(c, errorPage(409, replaceInstead(c, fields, detail)));
  if (retryAfter !== undefined) c.header('Retry-After', String(retryAfter));
  const { status } = PROBLEMS[problem];
  return presenter.send(c, errorPage(SHOWN.find((one) => one === status) ?? 400, said(detail, { now: now(), zone })));
}

/** Adds a button to the detail, since a valid acknowledgement is replaced only if the operator asks for it. */
function replaceInstead(c: PageContext, fields: URLSearchParams, detail: string): Html {
  const kept = [...fields].filter(([name]) => name !== 'proof');
  const { pathname } = new URL(c.req.url);
  const button = buttonForm({
    action: pathname,
    label: 'Acknowledge in its place',
    fields: { ...Object.fromEntries(kept), replace: 'yes' },
  });
  // The text of the API, without its advice for programs.
  return html`${detail.replace(/ `replace: true`.*$/, '')}${button}`;
}

/** A form that is sent twice has the same key, so it acts once. */
function requestOf(c: PageContext, fields: URLSearchParams): OperatorRequest {
  const actor = c.get('visitor').name ?? '';
  const [, key = ''] = (fields.get('proof') ?? '').split('.');
  const said = [...fields].filter(([name]) => name !== 'proof');
  const asked = requestDigest(actor, c.req.path, said);
  return { key, asked, actor };
}
