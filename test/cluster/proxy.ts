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
  | { readonly type: 'late' }
  /** Of one transaction with a statement that contains it, for each text, the answer to COMMIT is lost with its connection. */
  | { readonly type: 'forgetful'; readonly texts: readonly string[] };

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

  function pass(from: Socket, to: Socket, isLost: (bytes: Buffer) => boolean): void {
    // In order, also where the line becomes fast again.
    let sent = Promise.resolve();
    from.on('data', (bytes) => {
      if (isLost(bytes) || line.type === 'silent') return;
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

  /** Looks at what goes to the server; `isLost`: the answer to it is lost. */
  function createForgetting(): { asked(bytes: Buffer): void; readonly isLost: () => boolean } {
    let wanted: string | undefined;
    let isCommitting = false;
    return {
      asked(bytes) {
        if (line.type !== 'forgetful') return;
        wanted ??= line.texts.find((text) => bytes.includes(text));
        if (wanted !== undefined && bytes.includes('COMMIT\0')) isCommitting = true;
        if (bytes.includes('ROLLBACK\0')) wanted = undefined;
      },
      isLost() {
        if (!isCommitting || line.type !== 'forgetful' || wanted === undefined) return false;
        const { texts } = line;
        const isLeft = texts.includes(wanted);
        line = { ...line, texts: texts.filter((text) => text !== wanted) };
        [wanted, isCommitting] = [undefined, false];
        return isLeft;
      },
    };
  }

  const server = net.createServer((client) => {
    keep(client);
    if (line.type === 'cut') {
      client.resetAndDestroy();
      return;
    }
    const upstream = keep(net.connect({ port: target, host: '127.0.0.1', localAddress: address }));
    const forgetting = createForgetting();
    pass(client, upstream, (bytes) => {
      forgetting.asked(bytes);
      return false;
    });
    pass(upstream, client, () => {
      const isLost = forgetting.isLost();
      if (!isLost) return false;
      upstream.destroy();
      client.resetAndDestroy();
      return true;
    });
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
