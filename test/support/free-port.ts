import { once } from 'node:events';
import { createServer, type Server } from 'node:net';

// Below the ports that Linux gives to whoever names none, for servers and for connections.
const [FIRST, COUNT] = [20_000, 12_000];
/** Processes that are started together begin at different places. */
const PORTS_OF_PROCESS = 16;
/** Nobody listens there but to keep a port from others. Elsewhere than on Linux it is no address, and nothing is kept. */
const RESERVING = '127.0.0.2';

let next = process.pid * PORTS_OF_PROCESS;

/** A port of the loopback on which nobody listens, and which nobody else is given before this process ends. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = FIRST + (next++ % COUNT);
    if (!(await isReserved(port))) continue;
    const server = await listening(port, '127.0.0.1');
    if (server === 'EADDRINUSE') continue;
    if (typeof server === 'string') throw new Error(`no port of the loopback is free: ${server}`);
    server.close();
    await once(server, 'close');
    return port;
  }
}

/** False: another process has it, or an earlier call in this one. */
async function isReserved(port: number): Promise<boolean> {
  const server = await listening(port, RESERVING);
  if (typeof server !== 'string') server.unref();
  return server !== 'EADDRINUSE';
}

/** The server, or the code of why there is none. */
async function listening(port: number, host: string): Promise<Server | string> {
  const server = createServer().listen(port, host);
  try {
    await once(server, 'listening');
    return server;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? String(error);
  }
}
