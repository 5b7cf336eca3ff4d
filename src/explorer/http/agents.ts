// Kept connections, each with one buffer for all of its reads. Otherwise each read has memory of its own, 64 kB at
// first, from which the HTTP parser copies: this doubles the bytes that the garbage collector has to handle.
import http from 'node:http';
import https from 'node:https';
import type { OnReadOpts } from 'node:net';

export interface Agents {
  readonly http: http.Agent;
  readonly https: https.Agent;
}

export function createAgents(): Agents {
  return {
    http: withOneBuffer(new http.Agent({ keepAlive: true })),
    https: withOneBuffer(new https.Agent({ keepAlive: true })),
  };
}

/** The most bytes of one read. */
const BUFFER_BYTES = 64 * 1024;

function withOneBuffer<Kept extends http.Agent>(agent: Kept): Kept {
  const connect = agent.createConnection.bind(agent);
  agent.createConnection = (options, callback) => {
    const onread: OnReadOpts = {
      buffer: Buffer.allocUnsafeSlow(BUFFER_BYTES),
      // The client of node:http listens to this event, and has copied the bytes when it returns.
      callback: (size, buffer) => {
        socket?.emit('data', Buffer.from(buffer.buffer, buffer.byteOffset, size));
        return true;
      },
    };
    const withBuffer = { ...options, onread };
    const socket = connect(withBuffer, callback);
    return socket;
  };
  return agent;
}
