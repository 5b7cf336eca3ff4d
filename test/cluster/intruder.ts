// A daemon that does not belong to the installation whose database it was given.
import { join } from 'node:path';
import { RUNTIME_FLAGS } from '../../src/cli/runtime-flags.ts';
import { createFolder, start } from '../support/daemon.ts';
import { freePort } from '../support/free-port.ts';

export interface Intruder extends AsyncDisposable {
  /** Resolves with its exit code; null: it was ended by a signal. */
  ended(): Promise<number | null>;
  says(text: string): Promise<string>;
  said(): string;
  /** The status of `/readyz`. */
  readiness(): Promise<number>;
}

export interface IntruderOptions {
  readonly number: number;
  readonly url: string;
  readonly main: string;
  readonly files: Readonly<Record<string, string>>;
}

/** Those of intruders begin so. */
export const INTRUDING = '127.0.0.2';

export async function intrude({ number, url, main, files }: IntruderOptions): Promise<Intruder> {
  await using opened = new AsyncDisposableStack();
  const folder = opened.use(createFolder(files));
  const port = await freePort();
  const env = {
    DATABASE_URL: url,
    CHAINWARDEN_LISTEN: `127.0.0.1:${port}`,
    NEMESIS_ADDRESS: `${INTRUDING}${number}`,
    NODE_OPTIONS: [...RUNTIME_FLAGS, `--import=${join(import.meta.dirname, 'skew.ts')}`].join(' '),
  };
  const process = opened.use(start(['run'], folder.path, env, main));
  const all = opened.move();
  return {
    ended: async () => (await process.ended).code,
    says: (text) => process.says(text),
    said: () => process.err(),
    readiness: async () => (await fetch(`http://127.0.0.1:${port}/readyz`)).status,
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}
