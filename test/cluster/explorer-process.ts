// The explorer of a run, started and ended from outside.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Asked, Barring, Opened } from './explorer.ts';

export interface ExplorerProcess extends AsyncDisposable {
  readonly opened: Opened;
  /** From that address it cannot be reached, or it can again. */
  bar(address: string, isBarred: boolean): void;
}

/** So many plans over one chain of this seed. `onAsked` is told of each request when it has been answered. */
export async function startExplorer(
  plans: number,
  seed: number,
  onAsked: (asked: Asked) => void,
): Promise<ExplorerProcess> {
  const child = fork(join(import.meta.dirname, 'explorer.ts'), [String(plans), String(seed)], {
    execArgv: ['--no-warnings'],
  });
  const [opened] = (await once(child, 'message')) as [Opened];
  child.on('message', (asked) => {
    onAsked(asked as Asked);
  });
  return {
    opened,
    bar(address, isBarred) {
      const barring: Barring = { address, isBarred };
      child.send(barring);
    },
    async [Symbol.asyncDispose]() {
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    },
  };
}
