// SLOW_NETWORK_MS=10 lets every write to a socket of the tests wait for up to ten milliseconds, as it may on a machine that
// is busy: what races with the network fails then in every run. Writes, and what ends a connection behind them, stay in
// order. Two tests cannot pass so: in test/web/server.test.ts a slow connection is one of a flood that says nothing, and in
// test/notifiers/webhook.test.ts a stop comes between the bytes and the word that they were written.
import { Socket } from 'node:net';

type Act = (this: Socket, ...args: unknown[]) => void;

const longestMs = Number(process.env['SLOW_NETWORK_MS'] ?? 0);
const writing = new WeakMap<Socket, number>();
if (longestMs > 0) {
  slowDown('_write', () => true);
  slowDown('_writev', () => true);
  slowDown('_destroy', (socket) => (writing.get(socket) ?? 0) > 0);
}

function slowDown(name: '_write' | '_writev' | '_destroy', isSlow: (socket: Socket) => boolean): void {
  const prototype = Socket.prototype as unknown as Record<string, Act & { readonly isSlow?: true }>;
  const act = prototype[name];
  if (act === undefined || act.isSlow === true) return;
  const slow = function (this: Socket, ...args: unknown[]): void {
    const acts = act.bind(this, ...args);
    if (isSlow(this)) later(this, acts);
    else acts();
  };
  prototype[name] = Object.assign(slow, { isSlow: true as const });
}

let last = Promise.resolve();

function later(socket: Socket, act: () => void): void {
  count(socket, 1);
  last = last
    .then(() => new Promise<void>((resolve) => setTimeout(resolve, Math.random() * longestMs)))
    .then(() => {
      count(socket, -1);
      act();
    });
}

function count(socket: Socket, by: 1 | -1): void {
  writing.set(socket, (writing.get(socket) ?? 0) + by);
}
