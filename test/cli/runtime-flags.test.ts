import { expect, jest, test } from '@jest/globals';
import { ensureRuntimeFlags, missingFlags, RUNTIME_ENV, RUNTIME_FLAGS } from '../../src/cli/runtime-flags.ts';

const [SIGNAL = '', YOUNG = ''] = RUNTIME_FLAGS;

test('what an operator chose stays, on the command line and in NODE_OPTIONS', () => {
  expect(missingFlags({ execArgv: [], env: {} })).toEqual(RUNTIME_FLAGS);
  expect(missingFlags({ execArgv: ['--max-semi-space-size=64'], env: {} })).toEqual([SIGNAL]);
  expect(missingFlags({ execArgv: ['--max_semi_space_size=64'], env: {} })).toEqual([SIGNAL]);
  expect(missingFlags({ execArgv: [SIGNAL], env: { NODE_OPTIONS: '--trace-gc --max-semi-space-size=64' } })).toEqual(
    [],
  );
});

const STARTED = { execPath: '/usr/bin/node', argv: ['/usr/bin/node', '/app/main.js', 'run'], env: { A: 'b' } };

test('a process that lacks a flag is replaced once, by the same command, and what the operator set stays', () => {
  const execve = jest.fn<(file: string, args?: readonly string[], env?: NodeJS.ProcessEnv) => never>();
  ensureRuntimeFlags({ ...STARTED, execArgv: ['--inspect', YOUNG], platform: 'linux', execve });
  const args = ['/usr/bin/node', SIGNAL, '--inspect', YOUNG, '/app/main.js', 'run'];
  expect(execve.mock.calls).toEqual([['/usr/bin/node', args, { ...RUNTIME_ENV, A: 'b' }]]);

  ensureRuntimeFlags({ ...STARTED, execArgv: args.slice(1, -2), platform: 'linux', execve });
  ensureRuntimeFlags({ ...STARTED, execArgv: [], platform: 'win32', execve });
  expect(execve).toHaveBeenCalledTimes(1);

  ensureRuntimeFlags({ ...STARTED, env: { MALLOC_ARENA_MAX: '1' }, execArgv: [], platform: 'linux', execve });
  expect(execve.mock.calls[1]?.[2]).toEqual({ ...RUNTIME_ENV, MALLOC_ARENA_MAX: '1' });
});
