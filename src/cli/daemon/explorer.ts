import { parseDuration } from '../../lib/durations.ts';
import type { Release } from '../../sandbox/releases/release.ts';
import type { Limits } from '../../sandbox/limits.ts';
import { createSandbox } from '../../sandbox/sandbox.ts';
import { serveSandbox } from '../../sandbox/server.ts';
import { CommandError, EXIT } from '../exit.ts';
import type { Terminal } from '../terminal.ts';

export interface SandboxCommandOptions {
  readonly port: number;
  readonly seed: number;
  readonly blockTime: string;
  readonly control: boolean;
  readonly faults: boolean;
  /** The release to imitate; if left out, the API is as specified. */
  readonly as?: Release;
  /** `100000/day`; if left out, the credits are practically unlimited. */
  readonly plan?: string;
}

/** Serves until a signal. Prints its URLs, and the addresses and tokens that the example rules name. */
export async function explorer(terminal: Terminal, options: SandboxCommandOptions): Promise<number> {
  const { port, seed, control, faults, as = null } = options;
  const blockTimeMs = blockTimeOf(options.blockTime);
  const limits = options.plan === undefined ? {} : planOf(options.plan);
  const sandbox = createSandbox({ seed, blockTimeMs, clock: terminal.clock, control, faults, as, limits });
  const served = await serveSandbox(sandbox, port).catch((error: unknown) => {
    const why = error instanceof Error ? error.message : String(error);
    throw new CommandError(EXIT.config, `cannot listen on port ${port} (${why}). Choose another with --port.`);
  });
  terminal.out(`per-instance form  ${served.url}/api/v2/blocks`);
  terminal.out(`multichain form    ${served.url}/${sandbox.chainId}/api/v2/blocks   (API key: ${sandbox.apiKey})`);
  if (control) terminal.out(`control            ${served.url}/control`);
  for (const [name, address] of Object.entries({ ...sandbox.addresses, ...sandbox.tokens }))
    terminal.out(`${name.padEnd(18)} ${address}`);
  await new Promise<void>((resolve) => {
    terminal.onSignal('SIGTERM', resolve);
    terminal.onSignal('SIGINT', resolve);
  });
  await served.close();
  return EXIT.ok;
}

const PLAN = /^(\d{1,12})\/(day|month)$/;

function planOf(text: string): Pick<Limits, 'credits' | 'per'> {
  const [, credits, per] = PLAN.exec(text) ?? [];
  if (credits === undefined || Number(credits) === 0)
    throw new CommandError(
      EXIT.usage,
      `--plan: "${text}" is not a plan. Write one such as 100000/day or 3000000/month.`,
    );
  return { credits: Number(credits), per: per === 'month' ? 'month' : 'day' };
}

function blockTimeOf(text: string): number | 'manual' {
  if (text === 'manual') return text;
  const ms = parseDuration(text);
  if (ms === undefined || ms <= 0)
    throw new CommandError(EXIT.usage, `--block-time: "${text}" is neither a time, such as 2s, nor manual`);
  return ms;
}
