// HTTP requests of this process that have not been answered yet. A fake clock waits for them: else hours pass while an
// answer is on its way. One that its server holds back on purpose is not waited for.
import { afterAll } from '@jest/globals';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { ClientRequest, IncomingMessage, ServerResponse } from 'node:http';
import { setImmediate as turn } from 'node:timers/promises';

// For a server of this process: an answer that is made of what is at hand is written sooner.
const TURNS_TO_ANSWER = 30;
// For any other, as one that accepts a connection and says nothing.
const LONGEST_MS = 500;

/** What is waited for, with the time at which that ends. */
const underWay = new Map<ClientRequest, number>();

type Listener = (message: unknown) => void;
const listeners: Readonly<Record<string, Listener>> = {
  'http.client.request.created': (message) => {
    const { request } = message as { readonly request: ClientRequest };
    wait(request);
    request.once('close', () => underWay.delete(request));
  },
  'http.server.request.start': (message) => {
    const { request, response } = message as { readonly request: IncomingMessage; readonly response: ServerResponse };
    const asker = [...underWay.keys()].find(({ socket }) => socket?.localPort === request.socket.remotePort);
    if (asker !== undefined) void followAnswer(asker, response);
  },
};

for (const [channel, listener] of Object.entries(listeners)) subscribe(channel, listener);
afterAll(() => {
  for (const [channel, listener] of Object.entries(listeners)) unsubscribe(channel, listener);
});

function wait(request: ClientRequest): void {
  underWay.set(request, performance.now() + LONGEST_MS);
}

/** An answer that is held back is waited for again once it was given. */
async function followAnswer(asker: ClientRequest, response: ServerResponse): Promise<void> {
  response.once('finish', () => {
    if (!asker.destroyed) wait(asker);
  });
  for (let turns = 0; turns < TURNS_TO_ANSWER; turns += 1) {
    if (response.writableEnded) return;
    await turn();
  }
  underWay.delete(asker);
}

/** Whether there are some that will be answered. */
export function areRequestsUnderWay(): boolean {
  const now = performance.now();
  for (const [request, until] of underWay) if (until < now) underWay.delete(request);
  return underWay.size > 0;
}
