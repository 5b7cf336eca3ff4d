// Lines of a file with their numbers.
import { html, NOTHING, trusted, type Html } from './html.ts';

interface CodeOptions {
  /** The number of the first line. */
  readonly first: number;
  readonly marked: number | null;
  readonly label: string;
}

const NEW_LINE = trusted('\n');

export function codeBlock(text: string, { first, marked, label }: CodeOptions): Html {
  const lines = text
    .replace(/\n$/, '')
    .split('\n')
    .map((line, at) => {
      const number = first + at;
      const isMarked = number === marked;
      // The link leads to the line's number, so that a narrow screen shows the line from its start.
      const place = isMarked ? trusted('id="line"') : NOTHING;
      const words = isMarked ? html`<mark>${line}</mark>` : line;
      return html`${at === 0 ? null : NEW_LINE}<span class="ln" ${place}>${number}</span>${words}`;
    });
  return html`<pre tabindex="0" aria-label="${label}">${lines}</pre>`;
}
