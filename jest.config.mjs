import { statfsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { env } from 'node:process';

// A commit of a state file waits for the disk, which in memory takes no time. Where little room is there, as in a container,
// and where TMPDIR is set, the tests stay where they are told to.
const MEMORY = '/dev/shm';
const ROOM_BYTES = 4 * 1024 ** 3;
if (env['TMPDIR'] === undefined && roomIn(MEMORY) > ROOM_BYTES) env['TMPDIR'] = MEMORY;

export default {
  testEnvironment: 'node',
  // Many tests wait for time or for processes of their own: a worker more than there are cores pays.
  maxWorkers: availableParallelism() + 1,
  testSequencer: '<rootDir>/jest.sequencer.mjs',
  // For a loaded machine: no test waits on purpose.
  testTimeout: 900_000,
  setupFiles: ['<rootDir>/test/support/properties.setup.ts', '<rootDir>/test/support/slow-network.setup.ts'],
  roots: ['<rootDir>/test'],
  testMatch: ['**/*.test.ts'],
  extensionsToTreatAsEsm: ['.ts'],
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      {
        jsc: { target: 'es2024', parser: { syntax: 'typescript' } },
        module: { type: 'es6' },
        sourceMaps: 'inline',
      },
    ],
  },
};

function roomIn(folder) {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize;
  } catch {
    return 0;
  }
}
