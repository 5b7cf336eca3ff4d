// What is answered while another daemon has the state and this one waits: it lives, and is ready to take over. A rollout
// that waited for more would never end the other one.
import { createServer, type ServerResponse } from 'node:http';
import type { Log } from '../telemetry/log.ts';

export interface StandbyPages extends AsyncDisposable {
  /** `holder`: who has the state. Resolves when it answers, or cannot. */
  open(holder: string): Promise<void>;
}

export function createStandbyPages(
  { host, port }: { readonly host: string; readonly port: number },
  log: Log,
): StandbyPages {
  const server = createServer();
  server.on('error', (error) => {
    log.warn('http:standby-not-served', { error, effect: 'nobody is told that this process waits' });
  });
  return {
    async open(holder) {
      const text = `standby: ${holder} has the state, this process waits to take over`;
      server.on('request', ({ url }, response) => {
        answer(response, url === '/healthz' || url === '/readyz' ? 200 : 503, text);
      });
      const { promise, resolve } = Promise.withResolvers<undefined>();
      const done = (): void => {
        resolve(undefined);
      };
      server.once('listening', done).once('error', done);
      server.listen(port, host);
      await promise;
    },
    async [Symbol.asyncDispose]() {
      if (!server.listening) return;
      const { promise, resolve } = Promise.withResolvers<undefined>();
      server.close(() => {
        resolve(undefined);
      });
      server.closeAllConnections();
      await promise;
    },
  };
}

function answer(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' });
  response.end(`${text}\n`);
}
