// The connections of the web server, with the open requests of each. Limits bound the cost of clients that send slowly,
// do not read, or send many requests at once.
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** A request with its answer. */
interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** The first exchange is being answered, the others wait for it. */
type Outstanding = Exchange[];

/** The most open requests of one connection. Browsers send one at a time. */
const MOST_OUTSTANDING = 8;
/** The most connections that wait for their clients. Each costs about 20 kB. */
const MOST_WAITING = 512;
const PIECE_BYTES = 512;
/** The most connections in total, with those that are being answered or closed: Node counts them too. */
const MOST_SOCKETS = 2 * MOST_WAITING;

/**
 * Answers the requests of one connection in turn, each after the system has taken the previous answer. So a client that
 * does not read costs the memory of one answer.
 *
 * If too many connections wait for their clients (for a request, for the rest of one, or for an answer to be read), a
 * new one replaces the one that has been idle for longest. So clients that only hold connections, however many, cannot
 * keep a supervisor from its answer.
 */
export function boundExchanges(server: Server, answer: RequestListener, onRejected: () => void): void {
  // The connection that has been idle for longest comes first.
  const open = new Map<Socket, Outstanding>();

  function refuse(socket: Socket): void {
    open.delete(socket);
    socket.destroy();
    onRejected();
  }

  function touch(socket: Socket, outstanding: Outstanding): void {
    open.delete(socket);
    open.set(socket, outstanding);
  }

  function answerFirst(socket: Socket, outstanding: Outstanding): void {
    const [first] = outstanding;
    if (first === undefined) return;
    first.response.once('close', () => {
      outstanding.shift();
      if (open.has(socket)) touch(socket, outstanding);
      if (!socket.destroyed) answerFirst(socket, outstanding);
    });
    answer(first.request, first.response);
  }

  server.maxConnections = MOST_SOCKETS;
  server.on('drop', onRejected);
  server.on('connection', (socket) => {
    open.set(socket, []);
    socket.once('close', () => open.delete(socket));
    readInPieces(socket);
    if (open.size <= MOST_WAITING) return;
    const waiting = open
      .entries()
      .filter(([, outstanding]) => isClientAwaited(outstanding))
      .toArray();
    const [stillest] = waiting;
    if (waiting.length > MOST_WAITING && stillest !== undefined) refuse(stillest[0]);
  });
  server.on('request', (request, response) => {
    const { socket } = request;
    const outstanding = open.get(socket);
    // After a connection is destroyed, Node still reports the other requests of the piece that it parses.
    if (outstanding === undefined) return;
    if (outstanding.length >= MOST_OUTSTANDING) {
      refuse(socket);
      return;
    }
    outstanding.push({ request, response });
    touch(socket, outstanding);
    if (outstanding.length === 1) answerFirst(socket, outstanding);
  });
}

/**
 * Node parses all bytes of one read, up to 64 KiB, and keeps the requests in it until the connection is closed:
 * thousands of small ones, several megabytes for each connection. With smaller pieces, the first requests are counted
 * before the next are parsed, so the limit stops the rest.
 */
function readInPieces(socket: Socket): void {
  const parsers = socket.listeners('data');
  socket.removeAllListeners('data');
  socket.on('data', (data: Buffer) => {
    for (let at = 0; at < data.length && !socket.destroyed; at += PIECE_BYTES)
      for (const parse of parsers) parse.call(socket, data.subarray(at, at + PIECE_BYTES));
  });
}

function isClientAwaited([first]: Outstanding): boolean {
  if (first === undefined) return true;
  const { request, response } = first;
  return !request.complete || response.writableEnded || response.writableNeedDrain;
}
