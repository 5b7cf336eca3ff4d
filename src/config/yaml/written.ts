// The value of a YAML file, and paths into it.
import type { TextSpan } from '../problem.ts';

/** A written value: text, or lists and maps of such values. */
export type WrittenValue = string | WrittenValue[] | { [key: string]: WrittenValue };
export type WrittenMap = Readonly<Record<string, WrittenValue>>;

/** Whether a part of a file is a map of keys and values. */
export function isMap(written: unknown): written is WrittenMap {
  return typeof written === 'object' && written !== null && !Array.isArray(written);
}

/** The steps from the top of the document: keys of maps, and indexes of lists. */
export type Path = readonly (string | number)[];

export interface ProblemAt {
  readonly message: string;
  readonly hint?: string | undefined;
  /** Points at this key of the map at the path, rather than at its value. */
  readonly key?: string;
  /** Points into the text of the scalar at the path. */
  readonly within?: TextSpan;
}
