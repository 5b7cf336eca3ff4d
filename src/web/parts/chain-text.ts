// Only this file shows text from the chain. The text is monospaced and cut off, and is never a link. Invisible
// characters are shown as escapes. A warning names letters that only look like Latin letters.
import { rawText, singleLine, type Untrusted } from '../../lib/untrusted.ts';
import type { Text } from '../../query/shapes/common.ts';
import { html, type Html } from './html.ts';

const MOST = 120;

export function chainText(text: Untrusted): Html {
  const shown = singleLine(rawText(text), MOST);
  const warning = lookAlike(shown);
  return html`<span class="chain">${shown}</span>${
      warning === null ? null : html` <span class="warn">${warning}</span>`
    }`;
}

/** A sentence of the program with untrusted parts in it. */
export function textTag(text: Text): Html {
  return html`${text.map((part) => ('text' in part ? part.text : chainText(part.untrusted)))}`;
}

/** True if the text is empty. */
export function isBlank(text: Text): boolean {
  return text.every((part) => ('text' in part ? part.text : rawText(part.untrusted)) === '');
}

/** Letters of other alphabets, and the Latin letters that they look like, in the same order. */
const FOREIGN = 'АВСЕНІЈКМОРЅТХУасеһіјорѕхуΑΒΕΖΗΙΚΜΝΟΡΤΥΧονԁԛԝԌԀ';
const LATIN = 'ABCEHIJKMOPSTXYacehijopsxyABEZHIKMNOPTYXovdqwGD';
const LOOKS = new Map(Array.from(FOREIGN, (letter, i) => [letter, LATIN.charAt(i)]));
const SCRIPTS = ['Cyrillic', 'Greek', 'Armenian', 'Cherokee', 'Hebrew', 'Arabic'] as const;

/** `lookAlike('USDС') // 'looks like USDC: С is Cyrillic'`. Null if the text resembles no other text. */
export function lookAlike(text: string): string | null {
  const plain = text.normalize('NFKC');
  const skeleton = Array.from(plain, (letter) => LOOKS.get(letter) ?? letter).join('');
  if (skeleton === text || !/^[\x20-\x7e]*[A-Za-z][\x20-\x7e]*$/.test(skeleton)) return mixture(plain);
  const strange = Array.from(text).find((letter) => !/[\x20-\x7e]/.test(letter)) ?? '';
  return `looks like ${skeleton.slice(0, 40)}: ${strange} is ${scriptOf(strange) ?? 'another letter'}`;
}

/** A text in two alphabets is often meant to deceive, so one of its foreign letters is named. */
function mixture(text: string): string | null {
  if (!/\p{Script=Latin}/u.test(text)) return null;
  const other = Array.from(text).find((letter) => scriptOf(letter) !== null);
  return other === undefined ? null : `mixes alphabets: ${other} is ${scriptOf(other) ?? ''}`;
}

function scriptOf(letter: string): string | null {
  return SCRIPTS.find((name) => new RegExp(`^\\p{Script=${name}}`, 'u').test(letter)) ?? null;
}
