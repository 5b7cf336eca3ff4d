// Mails of this process that are on their way to one of its mail servers. A fake clock waits for them: else hours pass while
// a server takes its tenth of a second to greet.
import { afterAll } from '@jest/globals';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';
import { mailServers } from './mail-servers.ts';

// For a server that was closed with the connection open.
const LONGEST_MS = 5000;

/** Connections that may be to a mail server, with the time at which waiting for them ends. */
const open = new Map<Socket, number>();

function onConnecting(message: unknown): void {
  const { socket } = message as { readonly socket: Socket };
  open.set(socket, performance.now() + LONGEST_MS);
}

subscribe('net.client.socket', onConnecting);
afterAll(() => {
  unsubscribe('net.client.socket', onConnecting);
});

export function areMailsUnderWay(): boolean {
  const now = performance.now();
  for (const [socket, until] of open) if (until < now || !isUnderWay(socket)) open.delete(socket);
  return open.size > 0;
}

/** Only once it is connected a socket tells where to. */
function isUnderWay({ destroyed, connecting, remotePort }: Socket): boolean {
  return !destroyed && (connecting || (remotePort !== undefined && mailServers.has(remotePort)));
}
