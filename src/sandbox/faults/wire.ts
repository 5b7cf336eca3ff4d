// Failures of the bytes: these need a real socket.
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import type { Clock } from '../../lib/clock.ts';
import type { SandboxFault, WireFaultName } from './fault.ts';

export interface Wire {
  readonly response: ServerResponse;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  readonly clock: Clock;
  /** Aborts when the connection is closed. */
  readonly signal: AbortSignal;
}

const DEFAULT_WAIT_MS = 60_000;
const DEFAULT_PAUSE_MS = 1000;
const MIB = 2 ** 20;
const OVERSIZED_BYTES = 64 * MIB;
const BOMB_BYTES = 256 * MIB;

export async function failOnWire(name: WireFaultName, fault: SandboxFault, wire: Wire): Promise<void> {
  switch (name) {
    case 'truncated':
      truncate(wire);
      return;
    case 'cut':
      wire.response.destroy();
      return;
    case 'oversized':
      return sendOversized(wire, fault.bytes ?? OVERSIZED_BYTES);
    case 'gzip-bomb':
      return sendBomb(wire, fault.bytes ?? BOMB_BYTES);
    case 'slow-headers':
      return sendLate(wire, fault.ms ?? DEFAULT_WAIT_MS);
    case 'slow-body':
      return drip(wire, fault.ms ?? DEFAULT_PAUSE_MS);
  }
}

/** Sends half of the announced bytes, then closes the connection. */
function truncate({ response, status, headers, text }: Wire): void {
  const bytes = Buffer.from(text);
  response.writeHead(status, { ...headers, 'content-length': bytes.length });
  response.write(bytes.subarray(0, bytes.length / 2), () => response.destroy());
}

async function sendLate({ response, status, headers, text, clock, signal }: Wire, ms: number): Promise<void> {
  await clock.sleep(ms, signal);
  if (signal.aborted) return;
  response.writeHead(status, headers);
  response.end(text);
}

async function drip({ response, status, headers, text, clock, signal }: Wire, ms: number): Promise<void> {
  const bytes = Buffer.from(text);
  response.writeHead(status, { ...headers, 'content-length': bytes.length });
  for (let at = 0; at < bytes.length && !signal.aborted; at++) {
    response.write(bytes.subarray(at, at + 1));
    await clock.sleep(ms, signal);
  }
  response.end();
}

async function sendOversized(wire: Wire, bytes: number): Promise<void> {
  const [start, end] = ['{"padding":"', '","items":[],"next_page_params":null}'];
  wire.response.writeHead(wire.status, wire.headers);
  await pour(wire, start, Buffer.alloc(MIB, 'a'), Math.ceil(bytes / MIB), end);
}

/** A gzip stream may have several members: one packed megabyte is sent again and again. */
async function sendBomb(wire: Wire, bytes: number): Promise<void> {
  const megabyte = gzipSync(Buffer.alloc(MIB, ' '));
  wire.response.writeHead(wire.status, { ...wire.headers, 'content-encoding': 'gzip' });
  await pour(wire, '', megabyte, Math.ceil(bytes / MIB), gzipSync(wire.text));
}

async function pour(wire: Wire, start: string, chunk: Buffer, times: number, end: string | Buffer): Promise<void> {
  const { response, signal } = wire;
  if (start !== '') response.write(start);
  for (let time = 0; time < times && !signal.aborted; time++)
    if (!response.write(chunk)) await once(response, 'drain', { signal }).catch(() => undefined);
  response.end(end);
}
