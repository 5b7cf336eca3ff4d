// Logs of histories in a folder: a run takes a minute, judging its logs again a second. They are of no use once the program or
// the draw has changed.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { deserialize, serialize } from 'node:v8';
import type { History, Logs } from './model.ts';
import type { Found } from './verdicts.ts';

type Named = Pick<History, 'seed' | 'days' | 'stretch' | 'watched'>;

export interface KeptLogs {
  /** Those that are kept; or else of a run, which are kept from then on. */
  readonly of: (history: Named, run: () => Promise<Logs>) => Promise<Logs>;
  /** Each verdict without an entry with its whole story, one in a line: `7x5.wrong.jsonl`. */
  readonly judged: (history: Named, unknown: Found['unknown']) => void;
}

/** In files such as `7x5.v8`: seed 7, 5 days. */
export function keptLogsIn(folder: string): KeptLogs {
  mkdirSync(folder, { recursive: true });
  const fileOf = ({ seed, days, stretch, watched }: Named, ending: string): string => {
    const of = watched === 'accounts' ? '' : `-${watched}`;
    return join(folder, `${seed}x${days}${of}${stretch === 'off' ? '-unstretched' : ''}.${ending}`);
  };
  return {
    async of(history, run) {
      const file = fileOf(history, 'v8');
      // Written by the same program.
      if (existsSync(file)) return deserialize(readFileSync(file)) as Logs;
      const logs = await run();
      writeFileSync(file, serialize(logs));
      return logs;
    },
    judged(history, unknown) {
      writeFileSync(fileOf(history, 'wrong.jsonl'), unknown.map((one) => `${JSON.stringify(one)}\n`).join(''));
    },
  };
}
