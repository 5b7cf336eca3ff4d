// SLOW_NETWORK_MS=10 lets every write to a socket of the tests wait for up to ten milliseconds, as it may on a machine that
// is busy: what races with the network fails then in every run. All writes stay in order. A test that ends a connection
// right behind a write cannot be run so.
import { Socket } from 'node:net';

type Write = (this: Socket, ...args: unknown[]) => void;

const longestMs = Number(process.env['SLOW_NETWORK_MS'] ?? 0);
if (longestMs > 0) for (const name of ['_write', '_writev'] as const) slowDown(name);

function slowDown(name: '_write' | '_writev'): void {
  const prototype = Socket.prototype as unknown as Record<string, Write & { readonly isSlow?: true }>;
  const write = prototype[name];
  if (write === undefined || write.isSlow === true) return;
  prototype[name] = Object.assign(
    function (this: Socket, ...args: unknown[]): void {
      inTurn(() => {
        write.apply(this, args);
      });
    },
    { isSlow: true as const },
  );
}

let last = Promise.resolve();

function inTurn(act: () => void): void {
  last = last.then(() => later(Math.random() * longestMs)).then(act);
}

function later(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
