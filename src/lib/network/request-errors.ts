// Errors of an HTTP request after its answer was accepted: bytes behind its length, a body behind a 204, a bad chunk, a
// bad trailer. Node emits each as an 'error' event on some object of the request, and an 'error' event without a
// listener ends the process.
import type { ClientRequest, IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

/** The error code of a request that was answered with 101. */
export const SWITCHED_PROTOCOLS = 'SWITCHED_PROTOCOLS';

/**
 * Listens for the errors of one of got's request streams, and of the objects inside it, for its whole life. Must be
 * called in the turn in which the stream is made. Listeners of the caller are still called. An answer 101 would hand
 * over the bare connection. No request asks for this, so the connection is closed, and the stream fails.
 */
export function absorbErrors(stream: Duplex): void {
  stream.on('error', ignore);
  stream.on('request', (request: ClientRequest) => request.on('error', ignore));
  stream.on('upgrade', (_answer: IncomingMessage, socket: Socket) => {
    socket.on('error', ignore);
    socket.destroy();
    stream.destroy(Object.assign(new Error('answered with 101'), { code: SWITCHED_PROTOCOLS }));
  });
}

function ignore(): void {
  // The caller that waits for the answer handles the error with its own listeners.
}
