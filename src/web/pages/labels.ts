// The filter for labels on pages. The labels of a row are links that set the filter. A line above the list shows the
// filter, and has links that remove its labels.
import { writtenLabels } from '../../query/labels.ts';
import type { Parameters } from '../parameters.ts';
import { html, NOTHING, type Html } from '../parts/html.ts';
import { linkTo } from './lists.ts';

type Labels = Readonly<Record<string, string>>;

/** The labels that a part of a page is filtered by. */
export interface OfLabels {
  readonly label: readonly string[];
}

/** The lists with a filter for labels. */
const LISTS = [
  ['Now', '/'],
  ['Watches', '/watches'],
  ['History', '/history'],
] as const;

/**
 * Links for the labels that a rule defines. Labels that every alert has, such as the severity, are elsewhere in a row.
 * `asked`: the labels in the page's filter.
 */
export function labelLinks(labels: Labels, path: string, asked: readonly string[] = []): Html {
  const written = writtenLabels(labels);
  if (written.length === 0) return NOTHING;
  return html`<span class="labels"
    >${written.map((one) => html`<a href="${linkTo(path, { label: withLabel(one, asked) })}">${one.join('=')}</a>`)}</span
  >`;
}

/** The value of one label, as a link to the history filtered by it. */
export function labelLink(name: string, value: string): Html {
  return html`<a href="${linkTo('/history', { label: `${name}=${value}` })}">${value}</a>`;
}

function withLabel([name, value]: readonly [string, string], asked: readonly string[]): string[] {
  return [...asked.filter((one) => !one.startsWith(`${name}=`)), `${name}=${value}`];
}

/** The line above a list that is filtered by these labels. `written`: the parameters of the address. */
export function labelLine(path: string, written: Parameters, label: readonly string[]): Html {
  if (label.length === 0) return NOTHING;
  const chips = label.map((one) => {
    const others = label.filter((other) => other !== one);
    const href = linkTo(path, { ...written, label: others });
    return html`<a class="chip" href="${href}"><span class="skip">Leave out</span> ${one} ✕</a>`;
  });
  const lists = LISTS.filter(([, place]) => place !== path).map(
    ([name, place]) => html`<a href="${linkTo(place, { label })}">${name}</a>`,
  );
  return html`<p class="labelled">
    Only with ${chips} <a href="${linkTo(path, { ...written, label: null })}">Show all</a
    ><span class="quiet">· the same in ${lists[0] ?? ''}${lists.slice(1).map((one) => html`, ${one}`)}</span>
  </p>`;
}

/** `Nothing here has team=treasury.` if a filter is set, else `otherwise`. */
export function nothingWith(label: readonly string[], otherwise: string): string {
  return label.length === 0 ? otherwise : `Nothing here has ${label.join(' and ')}.`;
}

/** A field of a form that adds a label to the filter. */
export const LABEL_FIELD = html`<label class="skip" for="label">Label</label
  ><input
    id="label"
    name="label"
    maxlength="300"
    placeholder="label, as team=treasury"
    pattern="[A-Za-z_][A-Za-z0-9_]*=.+"
    title="A label and its value, such as team=treasury"
  />`;
