import { spawn, spawnSync, type ChildProcessByStdio } from 'node:child_process';
import process from 'node:process';
import type { Readable } from 'node:stream';

/** Each with the package of Debian and Ubuntu that has it. */
const PACKAGES = {
  promtool: 'prometheus',
  prometheus: 'prometheus',
  'prometheus-alertmanager': 'prometheus-alertmanager',
} as const;
type Tool = keyof typeof PACKAGES;

/** Whether a tool of Prometheus is installed; says loudly, once per test file, when they are not. */
export function hasTool(name: Tool): boolean {
  const found = spawnSync(name, ['--version'], { stdio: 'ignore' }).status === 0;
  if (!found)
    process.stderr.write(
      `\n!!! ${name} IS NOT INSTALLED: what only it can prove is NOT TESTED in this run. ` +
        `On Debian and Ubuntu: apt-get install ${PACKAGES[name]}\n\n`,
    );
  return found;
}

export interface ToolRun {
  readonly status: number | null;
  readonly output: string;
}

export function runTool(name: Tool, args: readonly string[], input = ''): ToolRun {
  const { status, stdout, stderr } = spawnSync(name, args, { input, encoding: 'utf8', timeout: 60_000 });
  return { status, output: `${stdout}${stderr}` };
}

/** What it says on standard error can be read; the caller ends it. */
export function startTool(name: Tool, args: readonly string[], cwd: string): ChildProcessByStdio<null, null, Readable> {
  return spawn(name, args, { cwd, stdio: ['ignore', 'ignore', 'pipe'] });
}
