// A command in this process, with everything that it prints caught.
import { main } from '../../src/cli/program.ts';
import { createTerminal, type Terminal } from '../../src/cli/terminal.ts';

export interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

export async function run(argv: readonly string[], change: Partial<Terminal> = {}): Promise<Ran> {
  const printed = { out: '', err: '' };
  const terminal: Terminal = {
    ...createTerminal(process),
    argv,
    width: 120,
    login: null,
    out: (line) => (printed.out += `${line}\n`),
    print: async (line) => void (printed.out += `${line}\n`),
    err: (text) => (printed.err += text),
    onSignal: () => undefined,
    onCrash: () => undefined,
    ...change,
  };
  const code = await main(terminal);
  return { code, ...printed };
}
