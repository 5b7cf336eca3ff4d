/** 'CWd1': tells our state from other SQLite files and databases that `state` may be pointed at by mistake. */
export const APPLICATION_ID = 0x43576431;
