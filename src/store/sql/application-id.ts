/**
 * 'CWd1'. It marks a state of this program, so that another file or database, named in `state` by mistake, is refused.
 */
export const APPLICATION_ID = 0x43576431;
