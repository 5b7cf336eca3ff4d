// Values that are stored for later messages and for comparison. A long value is cut and gets a digest of the whole,
// which distinguishes it from others.
import type { Json } from './fields.ts';
import { idOf } from '../model/watch/identity.ts';
import type { Remembered } from './encoded.ts';

const MOST_TEXT = 200;
const DIGEST_LENGTH = 8;

interface Condensed {
  /** The beginning of a text; null if the value is not a text. */
  readonly cut: string | null;
  readonly digest: string;
}

/** The value itself when it is short. Equal values stay equal, and others differ. */
export function condense(value: Json): Json {
  const text = JSON.stringify(value);
  if (text.length <= MOST_TEXT) return value;
  const condensed: Condensed = {
    cut: typeof value === 'string' ? value.slice(0, MOST_TEXT) : null,
    digest: idOf(text).slice(0, DIGEST_LENGTH),
  };
  return { ...condensed };
}

/** The values to show again: a long text by its beginning, other long values not at all. */
export function expand(values: Remembered): Remembered {
  return Object.fromEntries(
    Object.entries(values).flatMap(([path, value]) => {
      if (!isCondensed(value)) return [[path, value]];
      return value.cut === null ? [] : [[path, `${value.cut}…`]];
    }),
  );
}

function isCondensed(value: Json): value is Json & Condensed {
  return typeof value === 'object' && value !== null && 'cut' in value && 'digest' in value;
}
