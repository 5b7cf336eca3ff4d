// Parts of a page. The script of a page is sent only the parts that changed. A change of an age does not count, since
// the script keeps ages up to date.
import { createHash } from 'node:crypto';
import { html, trusted, type Html } from '../../parts/html.ts';

/** The prefix of the names of parts whose changes are shown at once. */
export const NEWS = 'news-';

/** A part of a page. Its name is unique in the page. */
export function part(name: string, content: Html): Html {
  return html`<div class="part" data-part="${name}">${content}${trusted(endOf(html`${name}`.toString()))}</div>`;
}

function endOf(name: string): string {
  return `<!--/${name}-->`;
}

const PART = /<div class="part" data-part="([^"]+)">[\s\S]*?<!--\/\1--><\/div>/g;
const AGE = /(<time [^>]*data-age[^>]*>)[^<]*/g;
/**
 * The time of the page, and drawings that move with it. They are ignored, since a new value also appears as text beside
 * its drawing.
 */
const OF_NOW = /<time [^>]*data-clock[^>]*>[^<]*|<polyline [^>]*>| data-(?:edition|tag)="[^"]*"/g;

/** The text of a page without the parts that change only because time passes. */
function lasting(text: string): string {
  return text.replaceAll(AGE, '$1').replaceAll(OF_NOW, '');
}

/**
 * A hash of the text. It is equal for two texts that differ only in ages, in the time of the page, or in drawings that
 * move with it.
 */
export function tagOf(text: string): string {
  return createHash('sha256').update(lasting(text)).digest('base64url').slice(0, 22);
}

/** The tag of each part by its name. */
export type PartTags = ReadonlyMap<string, string>;

export function partTags(text: string): PartTags {
  return new Map([...text.matchAll(PART)].map(([whole, name = '']) => [name, tagOf(whole)]));
}

/** A text that changes with every part whose changes are shown at once. */
export function newsOf(parts: PartTags): string {
  return [...parts].filter(([name]) => isNews(name)).join(' ');
}

function isNews(name: string): boolean {
  return name.startsWith(NEWS);
}

/** The parts that a reader with the parts `known` has after getting the news of `page`. */
export function withNews(known: PartTags, page: PartTags): PartTags {
  return new Map([...page].map(([name, tag]) => [name, isNews(name) ? tag : (known.get(name) ?? tag)]));
}

const WHOLE = /<!--whole-->[\s\S]*?<!--\/whole-->/;

/** Content for a whole page only; it is left out of what the page's script loads. */
export function onlyWhole(content: Html): Html {
  return html`${trusted('<!--whole-->')}${content}${trusted(endOf('whole'))}`;
}

/** Replaces each kept part by an empty element. The page's script puts the part that it has in this place. */
export function withoutParts(text: string, isKept: (name: string) => boolean): string {
  return text
    .replace(WHOLE, '')
    .replaceAll(PART, (whole, name: string) => (isKept(name) ? `<div data-part="${name}" data-same></div>` : whole));
}
