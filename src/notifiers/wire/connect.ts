// A connection to an address that the channel may reach, for protocols whose libraries would look up names by
// themselves.
import { once } from 'node:events';
import net, { type Socket } from 'node:net';
import { createDeadline } from '../../lib/clock.ts';
import { EGRESS_REFUSED, type Egress } from './egress.ts';

interface Target {
  readonly host: string;
  readonly port: number;
}

interface Way {
  readonly egress: Egress;
  readonly withinMs: number;
  readonly signal: AbortSignal;
}

/**
 * Rejects with the code `EGRESS_REFUSED` if the channel may not connect there, and with the signal's reason when the
 * signal aborts.
 */
export async function connect({ host, port }: Target, { egress, withinMs, signal }: Way): Promise<Socket> {
  // A bare address is not looked up, so it is checked here.
  const refusal = egress.refusalOf(host);
  if (refusal !== null) throw Object.assign(new Error(refusal), { code: EGRESS_REFUSED });
  const deadline = createDeadline(signal, withinMs);
  const socket = net.connect({ host, port, lookup: egress.lookup });
  // This listener stays, so that no error of the socket is unhandled. Users of the socket add listeners of their own.
  socket.on('error', ignore);
  try {
    await once(socket, 'connect', { signal: deadline.signal });
    return socket;
  } catch (error) {
    socket.destroy();
    throw deadline.signal.aborted ? deadline.signal.reason : error;
  } finally {
    deadline.done();
  }
}

function ignore(): void {
  // The listeners of the socket's users handle the error.
}
