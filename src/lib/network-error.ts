// Codes of Node that only sockets, name lookups, TLS, HTTP parsers and streams give. Files give others, but for those of
// their own (EIO, ENOSPC, EMFILE), which are not here.
const CODES =
  /^(?:ECONN[A-Z]+|E(?:HOST|NET)(?:UNREACH|DOWN)|EPIPE|EPROTO|ETIMEDOUT|ENOTCONN|ENOTFOUND|EAI_[A-Z]+|HPE_[A-Z_]+|ERR_(?:HTTP2?|SOCKET|SSL|STREAM|TLS)_[A-Z0-9_/]+)$/;

/**
 * Whether it tells of a connection that ended, and of nothing else: `isNetworkError({ code: 'ECONNRESET' }) // true`.
 * Node reports such an error from its own callback, so it interrupts none of our code.
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
