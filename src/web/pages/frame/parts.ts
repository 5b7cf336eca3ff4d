// Parts of a page: the script of a page is sent only the parts that changed. Ages do not count, since the script keeps them
// up to date.
import { createHash } from 'node:crypto';
import { html, trusted, type Html } from '../../parts/html.ts';

/** How the names of parts begin that a reader is shown at once when they change. */
export const NEWS = 'news-';

/** A part of a page under a name that no other part of it has. */
export function part(name: string, content: Html): Html {
  return html`<div class="part" data-part="${name}">${content}${trusted(endOf(html`${name}`.toString()))}</div>`;
}

function endOf(name: string): string {
  return `<!--/${name}-->`;
}

const PART = /<div class="part" data-part="([^"]+)">[\s\S]*?<!--\/\1--><\/div>/g;
const AGE = /(<time [^>]*data-age[^>]*>)[^<]*/g;
/** The time of the page itself, and drawings that move with it; new values stand beside them as text. */
const OF_NOW = /<time [^>]*data-clock[^>]*>[^<]*|<polyline [^>]*>| data-(?:edition|tag)="[^"]*"/g;

/** A page without what changes by itself as time passes. */
function lasting(text: string): string {
  return text.replaceAll(AGE, '$1').replaceAll(OF_NOW, '');
}

/** The same for two texts that differ in ages at most. */
export function tagOf(text: string): string {
  return createHash('sha256').update(lasting(text)).digest('base64url').slice(0, 22);
}

/** The tag of each part by its name. */
export type PartTags = ReadonlyMap<string, string>;

export function partTags(text: string): PartTags {
  return new Map([...text.matchAll(PART)].map(([whole, name = '']) => [name, tagOf(whole)]));
}

/** Another text whenever one of the parts does that are shown at once. */
export function newsOf(parts: PartTags): string {
  return [...parts].filter(([name]) => isNews(name)).join(' ');
}

function isNews(name: string): boolean {
  return name.startsWith(NEWS);
}

/** What somebody sees who knows these parts and is shown the news of a page. */
export function withNews(known: PartTags, page: PartTags): PartTags {
  return new Map([...page].map(([name, tag]) => [name, isNews(name) ? tag : (known.get(name) ?? tag)]));
}

const WHOLE = /<!--whole-->[\s\S]*?<!--\/whole-->/;

/** What the script of a page does not need again. */
export function onlyWhole(content: Html): Html {
  return html`${trusted('<!--whole-->')}${content}${trusted(endOf('whole'))}`;
}

/** Leaves of each part that is to be kept its place only, which a script fills with what it has. */
export function withoutParts(text: string, isKept: (name: string) => boolean): string {
  return text
    .replace(WHOLE, '')
    .replaceAll(PART, (whole, name: string) => (isKept(name) ? `<div data-part="${name}" data-same></div>` : whole));
}
