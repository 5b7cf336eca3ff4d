// A line to the database that can be cut, fall silent, or become slow.
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import net, { type AddressInfo, type Socket } from 'node:net';

export type Line =
  | { readonly type: 'open' }
  /** Connections end, and no new one is taken. */
  | { readonly type: 'cut' }
  /** What is sent goes nowhere, and nobody is told. */
  | { readonly type: 'silent' }
  /** Each packet comes that much later. */
  | { readonly type: 'slow'; readonly ms: number }
  /** What is sent comes when the line is open again, also that of connections which were given up meanwhile. */
  | { readonly type: 'late' };

export interface Proxy extends AsyncDisposable {
  readonly port: number;
  set(line: Line): void;
}

export interface ProxyOptions {
  readonly target: number;
  /** From which the target sees the connections come. */
  readonly address: string;
}

export async function openProxy({ target, address }: ProxyOptions): Promise<Proxy> {
  let line: Line = { type: 'open' };
  const sockets = new Set<Socket>();
  let inTime = Promise.withResolvers<undefined>();
  inTime.resolve(undefined);

  function keep(socket: Socket): Socket {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
    return socket;
  }

  function pass(from: Socket, to: Socket): void {
    // In order, also where the line becomes fast again.
    let sent = Promise.resolve();
    from.on('data', (bytes) => {
      if (line.type === 'silent') return;
      const due = performance.now() + (line.type === 'slow' ? line.ms : 0);
      const { promise: mayPass } = inTime;
      sent = sent.then(async () => {
        await mayPass;
        await pause(Math.max(due - performance.now(), 0));
        to.write(bytes);
      });
    });
    from.on('close', () => {
      if (line.type === 'silent') return;
      void sent.then(() => {
        to.destroySoon();
      });
    });
  }

  const server = net.createServer((client) => {
    keep(client);
    if (line.type === 'cut') {
      client.resetAndDestroy();
      return;
    }
    const upstream = keep(net.connect({ port: target, host: '127.0.0.1', localAddress: address }));
    pass(client, upstream);
    pass(upstream, client);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');

  function endAll(): void {
    for (const socket of sockets) socket.resetAndDestroy();
  }

  return {
    port: (server.address() as AddressInfo).port,
    set(next) {
      // What went into the silence is lost for good: those connections end when it is over.
      if (next.type === 'cut' || line.type === 'silent') endAll();
      line = next;
      if (next.type === 'late') inTime = Promise.withResolvers<undefined>();
      else inTime.resolve(undefined);
    },
    async [Symbol.asyncDispose]() {
      endAll();
      server.close();
      await once(server, 'close');
    },
  };
}
