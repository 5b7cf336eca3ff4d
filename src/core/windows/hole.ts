/** More than this many intervals between two samples are a hole. */
export const HOLE = 3;
