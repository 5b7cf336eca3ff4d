#!/usr/bin/env node
// The executable. Only this file uses the global `process`. It checks the Node version before it loads files that an
// older version cannot read.
const NEEDED = 24;
const [major = 0] = process.versions.node.split('.').map(Number);

if (major < NEEDED) {
  process.stderr.write(
    `chainwarden needs Node.js ${NEEDED} or newer, and this is ${process.version}. Install it, or run through npm in a clone.\n`,
  );
  process.exitCode = 78;
} else {
  const { ensureRuntimeFlags } = await import('./cli/runtime-flags.ts');
  ensureRuntimeFlags(process);
  const { createTerminal } = await import('./cli/terminal.ts');
  const { main } = await import('./cli/program.ts');
  const terminal = createTerminal(process);
  process.exitCode = await main(terminal);
}
