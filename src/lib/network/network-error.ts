// Error codes that Node gives only for sockets, name lookups, TLS, HTTP parsers and streams. Codes that files give too
// (EIO, ENOSPC, EMFILE) are not among them.
const CODES =
  /^(?:ECONN[A-Z]+|E(?:HOST|NET)(?:UNREACH|DOWN)|EPIPE|EPROTO|ETIMEDOUT|ENOTCONN|ENOTFOUND|EAI_[A-Z]+|HPE_[A-Z_]+|ERR_(?:HTTP2?|SOCKET|SSL|STREAM|TLS)_[A-Z0-9_/]+)$/;

/**
 * True for an error that only reports the end of a connection: `isNetworkError({ code: 'ECONNRESET' }) // true`. Node
 * emits such an error from its own callback, so it interrupts no code of the program.
 */
export function isNetworkError(error: unknown): boolean {
  return (
    typeof error === 'object' &&
    error !== null &&
    'code' in error &&
    typeof error.code === 'string' &&
    CODES.test(error.code)
  );
}
