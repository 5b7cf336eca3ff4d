// Kept connections, each with one buffer for all of its reads. Without it each read would allocate 64 kB, from which
// the HTTP parser copies, so the garbage collector would have to handle twice as many bytes.
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

/** The highest number of bytes in one read. */
const BUFFER_BYTES = 64 * 1024;

function withOneBuffer<Kept extends http.Agent>(agent: Kept): Kept {
  const connect = agent.createConnection.bind(agent);
  agent.createConnection = (options, callback) => {
    const onread: OnReadOpts = {
      buffer: Buffer.allocUnsafeSlow(BUFFER_BYTES),
      // The client of node:http listens to this event, and copies the bytes before `emit` returns. So the buffer can be
      // used again.
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
