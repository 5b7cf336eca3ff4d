// Loaded into a replica before anything else (`node --import`): its clock is off, and what it asks comes from an address of
// its own. Everything else of the process is what users run.
//
//   NEMESIS_SKEW_MS=3600000        by so much its clock is ahead
//   NEMESIS_ADDRESS=127.0.0.11     from which it connects
import net from 'node:net';

const aheadMs = Number(process.env['NEMESIS_SKEW_MS'] ?? 0);
const localAddress = process.env['NEMESIS_ADDRESS'];

const Real = Date;
globalThis.Date = new Proxy(Real, {
  construct: (target, args: readonly unknown[], as) =>
    Reflect.construct(target, args.length === 0 ? [Real.now() + aheadMs] : args, as) as Date,
  get: (target, key) => (key === 'now' ? () => Real.now() + aheadMs : (Reflect.get(target, key) as unknown)),
});

const connect = Reflect.get(net.Socket.prototype, 'connect') as (this: net.Socket, ...args: unknown[]) => net.Socket;
Reflect.set(net.Socket.prototype, 'connect', function (this: net.Socket, ...args: unknown[]): net.Socket {
  const options: unknown = Array.isArray(args[0]) ? args[0][0] : args[0];
  if (typeof options === 'object' && options !== null && localAddress !== undefined)
    Object.assign(options, { localAddress });
  return connect.apply(this, args);
});
